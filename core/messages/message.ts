import type { Load } from '#core/accounts/room.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Sender } from '#core/messages/sender.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Found, MessageContent } from './content.ts';
import type { MessageFilter } from './message-filter.ts';
import type { SearchRunner } from './search-turns.ts';

/**
 * Parameters for delivery status notifications (RFC 3461), which simulated reports obey. `recipients`: those with their own
 * parameters; `notify` has NEVER, SUCCESS, FAILURE or DELAY; `orcpt` is the original recipient with its type.
 */
export type Dsn = {
  ret: 'FULL' | 'HDRS' | null;
  envid: string | null;
  recipients: { address: string; notify: Notify[]; orcpt: string | null }[];
};
type Notify = 'NEVER' | 'SUCCESS' | 'FAILURE' | 'DELAY';

/** TLS session that delivered a message. `serverName`: name that the client requested. */
export type TlsInfo = { version: string; cipher: string; serverName: string | null };

/** Account or API key that signed in, and the user name that the client sent. */
export type SignedIn = { kind: 'account' | 'api_key'; name: string; userName?: string };

/**
 * Envelope of a message. `rcptTo` contains only recipients in the message's own team. `authenticatedAs` is null if nobody signed in.
 * `sender` is present if the pod that sent the email is known. The three properties before it are missing in messages that predate them.
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
 * Message as lists show it. `number` is the team's event number at its commit. Lists are sorted by it, then by id. `copy` marks
 * the copy that sending left in Sent.
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
  /** Display name of From's first address. */
  fromName: string | null;
  toAddresses: string[];
  receivedAt: Date;
  expiresAt: Date | null;
  autoDelete: boolean;
  sizeBytes: number;
  isRead: boolean;
  isFlagged: boolean;
  hasAttachments: boolean;
  /** Words that its owner assigned, first those in the field `X-Tags`. */
  tags: string[];
  /** Trace that the email belongs to (W3C Trace Context), if any. */
  traceId: string | null;
  copy: boolean;
};

/** Page of messages. `cursor` is the owner's newest event number at read time. */
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

/** State of a message in a list. A bulk change skips a message whose state has changed. */
export type Listed = Pick<
  MessageSummary,
  'id' | 'number' | 'mailboxId' | 'sizeBytes' | 'isRead' | 'isFlagged' | 'tags'
>;

/** Place in list order: that of a message with this number and id, which may be gone. */
export type ListPlace = Pick<MessageSummary, 'number' | 'id'>;

/** Messages of a list, or messages with some ids, in an account or a mailbox if these are named. */
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
 * Outcome for some messages. `matched` were unchanged since they were listed, and `changed` of them are different now. `unplaced`
 * of them stay where they are because their account has no mailbox with the path. `left` are the others that still exist.
 */
export type BulkOutcome = { matched: number; changed: number; unplaced: number; left: Id[] };

/** Change of a message, or a move to another mailbox of its account. */
export type MessageUpdate = MessageChange & { mailboxId?: Id };

/** Messages of one owner: those in a mailbox with numbers up to `upTo`, or the oldest of an account until a load is freed. */
export type MessageScope = { mailboxId: Id; upTo: number } | { oldestOf: Id; load: Load };

/** Raw bytes as received. `open` reads them, or the range [start, end), in pieces. Throws NotFound if they are gone. */
export type RawMessage = {
  sizeBytes: number;
  open(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/** Bounds of the messages that are visible at an instant, as `retention.ts` applies them. */
export type Visibility = { now: Date; receivedAfter: Date };

/**
 * Messages of one owner. A message is visible while its mailbox, account and domain exist, it is younger than the retention
 * window, and its `expiresAt`, unless `autoDelete` is false, is in the future.
 */
export type MessageStore = {
  /**
   * Lists messages, newest first. `cursor` is the owner's newest event number at read time. A search reads the state at its
   * start. A list that must read many messages does so through `search`.
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
   * Writes a change, with the counts and the event (`message.updated`). Returns `no-mailbox` if it names a mailbox that the
   * message's account does not have.
   */
  update(
    owner: Id,
    id: Id,
    change: MessageUpdate,
    visibility: Visibility,
  ): Promise<Committed<Message> | 'no-mailbox' | null>;
  /** Removes the message, its counts and its bytes. */
  remove(owner: Id, id: Id, visibility: Visibility): Promise<Committed<true> | null>;
  /** Removes up to `limit` messages of a scope. Returns their number, 0 if none are left. */
  removeSome(owner: Id, scope: MessageScope, limit: number): Promise<Committed<number>>;
  /** Finds up to `limit` messages of a selection that come after a place in list order, newest first. */
  select(
    owner: Id,
    selection: Selection,
    range: { after: ListPlace; limit: number },
    visibility: Visibility,
    search: SearchRunner,
  ): Promise<Listed[]>;
  /** Applies an action to the messages that are visible and unchanged since they were listed, with counts and events. */
  changeSome(
    owner: Id,
    listed: Listed[],
    action: BulkAction,
    visibility: Visibility,
  ): Promise<Committed<BulkOutcome>>;
};
