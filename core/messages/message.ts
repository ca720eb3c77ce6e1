import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';
import type { MessageContent } from './content.ts';
import type { MessageFilter } from './message-filter.ts';
import type { SearchRunner } from './search-turns.ts';

/** Who brought the message, and for whom: `rcptTo` are the recipients of the message's own user only. */
export type Envelope = {
  mailFrom: string;
  rcptTo: string[];
  helo: string | null;
  remoteAddress: string | null;
  tls: boolean;
  receivedBy: string;
};

/**
 * A message as lists show it. `number` is the user's event number at its commit: lists are sorted by it, then by id.
 * `copy` marks what a send left in Sent.
 */
export type MessageSummary = {
  id: Id;
  number: number;
  accountId: Id;
  mailboxId: Id;
  msgid: string | null;
  subject: string;
  intro: string;
  threadId: Id | null;
  fromAddress: string;
  /** Name beside the first address of From. */
  fromName: string | null;
  toAddresses: string[];
  receivedAt: Date;
  expiresAt: Date | null;
  autoDelete: boolean;
  sizeBytes: number;
  isRead: boolean;
  isFlagged: boolean;
  hasAttachments: boolean;
  copy: boolean;
};

/** A page of messages; `cursor` is the owner's newest event number at the time of reading. */
export type MessageList = Slice<MessageSummary> & { cursor: number };

/** The whole message but its raw bytes. */
export type Message = MessageSummary & {
  envelope: Envelope;
  deliveredTo: string;
  tag: string | null;
  content: Omit<MessageContent, 'searchText'>;
};

export type MessageChange = Partial<
  Pick<MessageSummary, 'isRead' | 'isFlagged' | 'expiresAt' | 'autoDelete'>
>;

/** Raw bytes as received; `open` gives them, or those in [start, end), in pieces. Throws NotFound when they are gone. */
export type RawMessage = {
  sizeBytes: number;
  open(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/**
 * What is visible at an instant: see `retention.ts`. `asked` is when the question came, by `performance.now()`, where the
 * answer may be as of then.
 */
export type Visibility = { now: Date; receivedAfter: Date; asked?: number | undefined };

/**
 * Messages of one owner. A message is visible while its mailbox, account and domain live, it is younger than the
 * retention window, and its `expiresAt`, unless `autoDelete` is false, is ahead.
 */
export type MessageStore = {
  /**
   * Newest first. `cursor` is the owner's newest event number at the time of reading; a list that is searched is as of
   * its beginning. A list that has to look at many messages does so by `search`.
   */
  list(
    owner: Id,
    filter: MessageFilter,
    page: Page,
    visibility: Visibility,
    search?: SearchRunner,
  ): Promise<MessageList>;
  find(owner: Id, id: Id, visibility: Visibility): Promise<Message | null>;
  raw(owner: Id, id: Id, visibility: Visibility): Promise<RawMessage | null>;
  /** Writes what changed; counts and the journal (`message.updated`) go with it. */
  update(
    owner: Id,
    id: Id,
    change: MessageChange,
    visibility: Visibility,
  ): Promise<Committed<Message> | null>;
  /** `no-mailbox` where the target is not a mailbox of the message's account. */
  move(
    owner: Id,
    id: Id,
    mailboxId: Id,
    visibility: Visibility,
  ): Promise<Committed<Message> | 'no-mailbox' | null>;
  /** Removes the message, its counts and its bytes. */
  remove(owner: Id, id: Id, visibility: Visibility): Promise<Committed<true> | null>;
  /** Removes at most `limit` messages of a mailbox with numbers up to `upTo`; gives how many, 0 when none are left. */
  removeFrom(owner: Id, mailboxId: Id, upTo: number, limit: number): Promise<Committed<number>>;
  /** Removes at most `limit` messages, of any user, that are no longer visible by age; empty when none are left. */
  removeExpired(visibility: Visibility, limit: number): Promise<Committed<number>[]>;
  /**
   * Removes at most `limit` messages of buried mailboxes, then what was buried; empty when nothing is left, and soon after
   * `signal` is aborted.
   */
  clearBuried(limit: number, signal?: AbortSignal): Promise<Committed<number>[]>;
  /** Removes raw bodies that were begun before `olderThan` and never got a message. Gives how many. */
  sweepBodies(olderThan: Date, limit: number): Promise<number>;
};
