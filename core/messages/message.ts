import type { Load } from '#core/accounts/room.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Sender } from '#core/messages/sender.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Found, MessageContent } from './content.ts';
import type { MessageFilter } from './message-filter.ts';
import type { SearchRunner } from './search-turns.ts';

/**
 * Parameters for delivery status notifications (RFC 3461), which simulated reports obey. `recipients`: recipients that have their own
 * parameters. `notify` may be NEVER, SUCCESS, FAILURE or DELAY; `orcpt` is the original recipient with its address type.
 */
export type Dsn = {
  ret: 'FULL' | 'HDRS' | null;
  envid: string | null;
  recipients: { address: string; notify: Notify[]; orcpt: string | null }[];
};
type Notify = 'NEVER' | 'SUCCESS' | 'FAILURE' | 'DELAY';

/** TLS session that delivered a message. `serverName`: the server name that the client requested. */
export type TlsInfo = { version: string; cipher: string; serverName: string | null };

/** Account or API key that signed in, and the user name that the client sent. */
export type SignedIn = { kind: 'account' | 'api_key'; name: string; userName?: string };

/**
 * Envelope of a message. `rcptTo` contains only recipients in the message's own team. `authenticatedAs` is null if nobody signed in.
 * `sender` is present if the pod that sent the email is known. Messages stored by earlier versions lack
 * `authenticatedAs`, `tlsInfo` and `dsn`.
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
 * Message as lists show it. `number` is the event number that the team reached at the message's commit. Lists are sorted by `number`,
 * then by `id`. `copy` marks the copy that was left in Sent when the email was sent.
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
  /** Display name of the first address in From. */
  fromName: string | null;
  toAddresses: string[];
  receivedAt: Date;
  expiresAt: Date | null;
  autoDelete: boolean;
  sizeBytes: number;
  isRead: boolean;
  isFlagged: boolean;
  hasAttachments: boolean;
  /** Tags that the message's owner assigned or its sender listed. Those in the field `X-Tags` come first. */
  tags: string[];
  /** Trace that the email belongs to (W3C Trace Context), if any. */
  traceId: string | null;
  copy: boolean;
};

/** Page of messages. `cursor` is the owner's newest event number at the time of the read. */
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

/** State of a message when it was listed. A bulk change skips messages whose state has changed since. */
export type Listed = Pick<
  MessageSummary,
  'id' | 'number' | 'mailboxId' | 'sizeBytes' | 'isRead' | 'isFlagged' | 'tags'
>;

/** Place in the order of a list: that of a message with this number and ID, which may no longer exist. */
export type ListPlace = Pick<MessageSummary, 'number' | 'id'>;

/** Messages of a list, or messages with some IDs, if necessary limited to an account or a mailbox. */
export type Selection =
  | { filter: MessageFilter }
  | ({ ids: Id[] } & Pick<MessageFilter, 'accountId' | 'mailboxId'>);

/** Action on many messages. `path` names a mailbox in each message's own account. */
export type BulkAction =
  | { do: 'update'; change: Partial<Pick<Listed, 'isRead' | 'isFlagged'>> }
  | { do: 'tag' | 'untag'; tag: string }
  | { do: 'move'; path: string }
  | { do: 'remove' };

/**
 * Outcome of an action on some messages. `matched`: those that had not changed since they were listed. `changed`: those of them that are
 * different now. `unplaced`: those of them that were not moved, because their account has no mailbox with the path. `left`: the others
 * that still exist.
 */
export type BulkOutcome = { matched: number; changed: number; unplaced: number; left: Id[] };

/** Change of a message, which may include a move to another mailbox of its account. */
export type MessageUpdate = MessageChange & { mailboxId?: Id };

/** One owner's messages: those in a mailbox with numbers up to `upTo`, or an account's oldest messages until they free a load. */
export type MessageScope = { mailboxId: Id; upTo: number } | { oldestOf: Id; load: Load };

/**
 * Raw bytes as they were received. `open` reads them, or only the range [start, end), in pieces. It throws NotFound if they no longer
 * exist.
 */
export type RawMessage = {
  sizeBytes: number;
  open(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/** Bounds of the messages that are visible at a point in time, as `retention.ts` computes them. */
export type Visibility = { now: Date; receivedAfter: Date };

/**
 * One owner's messages. A message is visible while its mailbox, account and domain exist and it is younger than the retention window. If
 * it has an `expiresAt` and `autoDelete` is not false, `expiresAt` must also be in the future.
 */
export type MessageStore = {
  /**
   * Lists messages, newest first. `cursor` is the owner's newest event number at the time of the read. A search sees the state at its
   * start. A list that must read many messages runs through `search`.
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
   * Writes a change with its counts and its event (`message.updated`). Returns `no-mailbox` if the change names a mailbox that the
   * message's account does not have.
   */
  update(
    owner: Id,
    id: Id,
    change: MessageUpdate,
    visibility: Visibility,
  ): Promise<Committed<Message> | 'no-mailbox' | null>;
  /** Removes a message, and updates the counts. */
  remove(owner: Id, id: Id, visibility: Visibility): Promise<Committed<true> | null>;
  /** Removes up to `limit` of a scope's messages. Returns their number, 0 if none are left. */
  removeSome(owner: Id, scope: MessageScope, limit: number): Promise<Committed<number>>;
  /** Finds up to `limit` of a selection's messages that come after a place in the list's order, newest first. */
  select(
    owner: Id,
    selection: Selection,
    range: { after: ListPlace; limit: number },
    visibility: Visibility,
    search: SearchRunner,
  ): Promise<Listed[]>;
  /**
   * Applies an action to the messages that are visible and have not changed since they were listed. Updates the counts and writes the
   * events.
   */
  changeSome(
    owner: Id,
    listed: Listed[],
    action: BulkAction,
    visibility: Visibility,
  ): Promise<Committed<BulkOutcome>>;
};
