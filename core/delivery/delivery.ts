import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MessageContent } from '#core/messages/content.ts';
import type { Envelope, MessageSummary, RawMessage } from '#core/messages/message.ts';

/** A body on its way in: small ones in memory, large ones already in the store under `bodyId`. */
export type Body = { bytes: Uint8Array } | { bodyId: Id; raw: RawMessage };

/** Takes a large body in pieces. A body that is never committed is discarded, or swept a day later. */
export type BodyWriter = {
  /** Once the promise has settled, the caller may fill `piece` anew. One write at a time. */
  write(piece: Uint8Array): Promise<void>;
  finish(): Promise<{ bodyId: Id; raw: RawMessage }>;
  discard(): Promise<void>;
};

/** Where a message of an archive goes back to, and how: without an event, whatever its number. */
export type Restored = { id: Id } & Pick<
  MessageSummary,
  'isRead' | 'isFlagged' | 'expiresAt' | 'autoDelete' | 'copy'
>;

/** One message that a mail becomes, in one account. `mailbox` is the path of a system mailbox, or a restored place. */
export type DeliveryTarget = {
  owner: Id;
  accountId: Id;
  mailbox: 'INBOX' | 'Sent' | Restored;
  /** The recipient as it was given, with its tag. */
  deliveredTo: string;
  tag: string | null;
  /** What of the envelope this owner may see. */
  envelope: Envelope;
};

/** A mail that is ready to be committed. All targets are stored, or none. */
export type PreparedMail = {
  body: Body;
  sizeBytes: number;
  content: MessageContent;
  receivedAt: Date;
  targets: DeliveryTarget[];
};

/** Why a mail was not stored; `address` names the recipient that stood in the way. */
export type DeliveryRefusal = { reason: 'gone' | 'inactive' | 'no-room'; address: string };

/** What became of a mail: the messages' ids in the order of its targets, with their events, or why none were made. */
export type DeliveryVerdict = { ids: Id[]; commits: Committed<Id[]>[] } | DeliveryRefusal;

/** What the store knows about a recipient's domain and the accounts that may own the address. */
export type RecipientAnswer = {
  domain: { id: Id; owner: Id; active: boolean; verified: boolean };
  accounts: {
    id: Id;
    address: string;
    active: boolean;
    catchAll: boolean;
    storageLimit: number;
    usedBytes: number;
  }[];
};

export type DeliveryStore = {
  /** The living domain of that name and its accounts that have one of the addresses or are its catch-all; null for an unknown domain. */
  lookUp(domain: string, addresses: string[]): Promise<RecipientAnswer | null>;
  /** Begins a body that is too large to keep in memory. */
  writeBody(): BodyWriter;
  /**
   * Stores a batch durably, each mail by itself: bodies, rows, threads, counters and journal. Checks again that domain,
   * account and mailbox live and are active, and that there is room. Event numbers follow the order of the batch; a copy
   * in Sent has no event and shares the number of the mail's first received message. Throws StoreUnavailable.
   */
  commitDeliveries(mails: PreparedMail[]): Promise<DeliveryVerdict[]>;
  /**
   * Stores one mail likewise, together with others that come meanwhile. A promise announces a mail that is being examined.
   * Rejects with the error of that promise. Throws StoreUnavailable.
   */
  commit(mail: PreparedMail | Promise<PreparedMail>): Promise<DeliveryVerdict>;
};
