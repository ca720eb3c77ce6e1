import type { Id } from '#core/ids.ts';

/**
 * What happened to one message. `number` grows by one for each event of a user, from 1, without gaps.
 * `messageNumber` is the number under which the message was committed: its place in the order of lists.
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
  | { type: 'message.updated'; isRead: boolean; isFlagged: boolean }
);

export type EventType = MailEvent['type'];

/** The events of one user, as a stream or a waiter wants them; null means any. */
export type EventFilter = { types: EventType[]; accountId: Id | null; mailboxId: Id | null };

/** What a store's write gives back: its result, and the events that it put into the journal of `owner`. */
export type Committed<T> = { result: T; owner: Id; events: MailEvent[] };

/** The stored truth about events. Entries are written by the stores, in the commit that they tell of. */
export type Journal = {
  /** The newest number of each user; 0 for one without events. */
  heads(users: Id[]): Promise<Map<Id, number>>;
  /** At most `limit` events with numbers above `after`, ascending. A first number above `after + 1` shows a pruned gap. */
  read(user: Id, after: number, limit: number): Promise<MailEvent[]>;
  /** The newest event that passes the filter, or null. */
  latest(user: Id, filter: EventFilter): Promise<MailEvent | null>;
  /** The number under which a message, perhaps deleted since, was committed; null where the journal knows nothing. */
  messageNumber(user: Id, messageId: Id): Promise<number | null>;
  /** Drops entries from before `olderThan`, and all but the newest `keep` of each user. Numbers go on. */
  prune(olderThan: Date, keep: number): Promise<void>;
};

/** Carries events between processes. Delivery is a hint: the journal is the truth. */
export type EventBus = {
  /** Never throws and never waits: a lost announcement is found in the journal. */
  announce(user: Id, events: MailEvent[]): void;
  /** Calls `listener` for each announcement, of this process's too; the answer stops it. */
  listen(listener: (user: Id, events: MailEvent[]) => void): () => void;
};

/** Tells whether an event is one that the filter asks for. */
export function passes(event: MailEvent, filter: EventFilter): boolean {
  return (
    filter.types.includes(event.type) &&
    (filter.accountId === null || filter.accountId === event.accountId) &&
    (filter.mailboxId === null || filter.mailboxId === event.mailboxId)
  );
}
