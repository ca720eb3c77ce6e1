import type { Id } from '#core/ids.ts';

/**
 * Event of one message. `number` increases by one for each of a team's events, from 1, without gaps. `messageNumber` is the number that
 * the message's commit assigned: its place in the order of lists. For an update, `messageIds` are the mailbox's messages that a bulk
 * change updated together, starting with the event's own. Absent for a single message.
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

/** Event that has no number yet. The number of a received message is that of its event. */
export type NewEvent<Event = MailEvent> = Event extends MailEvent ? Omit<Event, 'number'> : never;

export type EventType = MailEvent['type'];

/** Selection of one team's events, for a stream or a wait. Null selects everything. */
export type EventFilter = { types: EventType[]; accountId: Id | null; mailboxId: Id | null };

/** Outcome of a store's write: its result, and the events that it wrote to the journal of `owner`. */
export type Committed<T> = { result: T; owner: Id; events: MailEvent[] };

/** Teams' stored events. A store writes an event in the same commit as the change that the event describes. */
export type Journal = {
  /** Returns each team's newest event number, 0 for a team without events. */
  heads(teams: Id[]): Promise<Map<Id, number>>;
  /**
   * Reads up to `limit` events with numbers above `after`, in ascending order. If the first number is above `after + 1`, events were
   * pruned.
   */
  read(team: Id, after: number, limit: number): Promise<MailEvent[]>;
  /** Returns the newest event that matches the filter, or null. */
  latest(team: Id, filter: EventFilter): Promise<MailEvent | null>;
  /**
   * Returns the number that a message got at its commit, even if the message has since been deleted. Returns null if the message is not
   * in the journal.
   */
  messageNumber(team: Id, messageId: Id): Promise<number | null>;
};

/** Carries events between processes. An announcement is only a hint: the journal is authoritative. */
export type EventBus = {
  /** Announces events. Never throws or waits: the journal has the events even if the announcement is lost. */
  announce(team: Id, events: MailEvent[]): void;
  /** Calls `listener` for each announcement, including this process's own. Returns a function that unsubscribes. */
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
