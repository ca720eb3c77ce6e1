import type { Load } from '#core/accounts/room.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Sender } from '#core/messages/sender.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Found, MessageContent } from './content.ts';
import type { MessageFilter } from './message-filter.ts';
import type { SearchRunner } from './search-turns.ts';

/**
 * Parameters for delivery status notifications (RFC 3461), which reports on purpose obey. `recipients`: those with parameters of
 * their own; `notify` has NEVER, SUCCESS, FAILURE or DELAY; `orcpt` is the original recipient with its type.
 */
export type Dsn = {
  ret: 'FULL' | 'HDRS' | null;
  envid: string | null;
  recipients: { address: string; notify: Notify[]; orcpt: string | null }[];
};
type Notify = 'NEVER' | 'SUCCESS' | 'FAILURE' | 'DELAY';

/** TLS session that a message came by. `serverName`: name that the client asked for. */
export type TlsInfo = { version: string; cipher: string; serverName: string | null };

/** Account or API key that signed in, and the user name that the client gave. */
export type SignedIn = { kind: 'account' | 'api_key'; name: string; userName?: string };

/**
 * Envelope of a message. `rcptTo` are the recipients of the message's own team only. `authenticatedAs` is null where
 * nobody signed in. `sender` is there where the pod is known that sent the mail. The three before it are missing in messages that were
 * stored before there were such things.
 */
export type Envelope = {
  mailFrom: string;
  rcptTo: string[];
  helo: string | null;
  remoteAddress: string | null;
  tls: boolean;
  receivedBy: string;
  authenticatedAs?: SignedIn | null;
  tlsInfo?: TlsInfo | null;
  dsn?: Dsn | null;
  sender?: Sender;
};

/**
 * Message as lists show it. `number` is the team's event number at its commit. Lists are sorted by it, then by id. `copy`
 * marks the copy that a send left in Sent.
 */
export type MessageSummary = Found & {
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
  /** Words of its owner, first those of the field `X-Tags`. */
  tags: string[];
  /** Trace that the mail is of (W3C Trace Context), if any. */
  traceId: string | null;
  copy: boolean;
};

/** Page of messages. `cursor` is the owner's newest event number at the time of reading. */
export type MessageList = Slice<MessageSummary> & { cursor: number };

export type Message = MessageSummary & {
  envelope: Envelope;
  deliveredTo: string;
  tag: string | null;
  content: Omit<MessageContent, 'search'>;
};

export type MessageChange = Partial<
  Pick<MessageSummary, 'isRead' | 'isFlagged' | 'expiresAt' | 'autoDelete' | 'tags'>
>;

/** State of a message in a list. A bulk change leaves a message alone whose state is no longer the same. */
export type Listed = Pick<
  MessageSummary,
  'id' | 'number' | 'mailboxId' | 'sizeBytes' | 'isRead' | 'isFlagged' | 'tags'
>;

/** Place in the order of lists: that of a message with this number and id, which may be gone. */
export type ListPlace = Pick<MessageSummary, 'number' | 'id'>;

/** Messages of a list, or those of some ids, of an account or a mailbox if these are named. */
export type Selection =
  | { filter: MessageFilter }
  | ({ ids: Id[] } & Pick<MessageFilter, 'accountId' | 'mailboxId'>);

/** Action on many messages. `path` names a mailbox of each message's own account. */
export type BulkAction =
  | { do: 'update'; change: Partial<Pick<Listed, 'isRead' | 'isFlagged'>> }
  | { do: 'tag' | 'untag'; tag: string }
  | { do: 'move'; path: string }
  | { do: 'remove' };

/**
 * Outcome for some messages. `matched` were as listed, and `changed` of them are different now. `unplaced` of them stay where
 * they are, because their account has no mailbox of the path. `left` are the others that still exist.
 */
export type BulkOutcome = { matched: number; changed: number; unplaced: number; left: Id[] };

/** Change of a message, or of its place: another mailbox of its account. */
export type MessageUpdate = MessageChange & { mailboxId?: Id };

/** Messages of one owner: those of a mailbox with numbers up to `upTo`, or the oldest of an account until a load is freed. */
export type MessageScope = { mailboxId: Id; upTo: number } | { oldestOf: Id; load: Load };

/** Raw bytes as received. `open` reads them, or those in [start, end), in pieces. Throws NotFound when they are gone. */
export type RawMessage = {
  sizeBytes: number;
  open(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/** Bounds of the messages visible at an instant, as `retention.ts` applies them. */
export type Visibility = { now: Date; receivedAfter: Date };

/**
 * Messages of one owner. A message is visible while its mailbox, account and domain live, it is younger than the
 * retention window, and its `expiresAt`, unless `autoDelete` is false, is ahead.
 */
export type MessageStore = {
  /**
   * Lists messages, newest first. `cursor` is the owner's newest event number at the time of reading. A search reads the
   * state of its beginning. A list that has to read many messages does so by `search`.
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
  /**
   * Writes a change, with the counts and the event (`message.updated`). Returns `no-mailbox` where it names a mailbox that is not
   * one of the message's account.
   */
  update(
    owner: Id,
    id: Id,
    change: MessageUpdate,
    visibility: Visibility,
  ): Promise<Committed<Message> | 'no-mailbox' | null>;
  /** Removes the message, its counts and its bytes. */
  remove(owner: Id, id: Id, visibility: Visibility): Promise<Committed<true> | null>;
  /** Removes at most `limit` messages of a scope. Returns their number, 0 when none are left. */
  removeSome(owner: Id, scope: MessageScope, limit: number): Promise<Committed<number>>;
  /** Finds at most `limit` messages of a selection that come after a place in the order of lists, newest first. */
  select(
    owner: Id,
    selection: Selection,
    range: { after: ListPlace; limit: number },
    visibility: Visibility,
    search: SearchRunner,
  ): Promise<Listed[]>;
  /**
   * Does an action to those messages that are visible and as they were listed, with counts and events.
   */
  changeSome(
    owner: Id,
    listed: Listed[],
    action: BulkAction,
    visibility: Visibility,
  ): Promise<Committed<BulkOutcome>>;
};
