import type { Id } from '#core/ids.ts';

/**
 * Event of one message. `number` grows by one for each event of a team, from 1, without gaps. `messageNumber` is the number of
 * the message's commit: its place in the order of lists. `messageIds` of an update are the mailbox's messages that a bulk change
 * updated together, the event's own first. Absent for a single message.
 */
export type MailEvent = {
  number: number;
  messageId: Id;
  messageNumber: number;
  accountId: Id;
  mailboxId: Id;
  at: Date;
} & (
  | { type: 'message.received'; subject: string }
  | { type: 'message.deleted' }
  | { type: 'message.updated'; isRead: boolean; isFlagged: boolean; messageIds?: Id[] }
);

/** Event without a number. A received message has the number of its event. */
export type NewEvent<Event = MailEvent> = Event extends MailEvent ? Omit<Event, 'number'> : never;

export type EventType = MailEvent['type'];

/** Selection of one team's events, for a stream or a wait. Null selects everything. */
export type EventFilter = { types: EventType[]; accountId: Id | null; mailboxId: Id | null };

/** Outcome of a store's write: its result, and the events that it wrote to the journal of `owner`. */
export type Committed<T> = { result: T; owner: Id; events: MailEvent[] };

/** Teams' stored events. A store writes an event in the commit that the event describes. */
export type Journal = {
  /** Returns each team's newest number, 0 for a team without events. */
  heads(teams: Id[]): Promise<Map<Id, number>>;
  /** Reads up to `limit` events with numbers above `after`, ascending. A first number above `after + 1` shows that events were pruned. */
  read(team: Id, after: number, limit: number): Promise<MailEvent[]>;
  /** Returns the newest event that matches the filter, or null. */
  latest(team: Id, filter: EventFilter): Promise<MailEvent | null>;
  /** Returns the number of a message's commit, even if the message has since been deleted. Null if it is not in the journal. */
  messageNumber(team: Id, messageId: Id): Promise<number | null>;
};

/** Carries events between processes. A delivery is only a hint: the journal is authoritative. */
export type EventBus = {
  /** Never throws or waits: a lost announcement is found in the journal. */
  announce(team: Id, events: MailEvent[]): void;
  /** Calls `listener` for each announcement, including this process's own. Returns the unsubscriber. */
  listen(listener: (team: Id, events: MailEvent[]) => void): () => void;
};

/** Checks whether an event matches the filter. */
export function passes(event: MailEvent, filter: EventFilter): boolean {
  return (
    filter.types.includes(event.type) &&
    (filter.accountId === null || filter.accountId === event.accountId) &&
    (filter.mailboxId === null || filter.mailboxId === event.mailboxId)
  );
}
