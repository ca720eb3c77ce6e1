import type { Account, AccountFlags } from '#core/accounts/account.ts';
import type { Load } from '#core/accounts/room.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';
import type { Envelope, MessageSummary, RawMessage } from '#core/messages/message.ts';
import type { Ruling } from '#core/rules/ruling.ts';

/** Body of an email before its commit: in memory, or in the store under `bodyId` if it is large. */
export type Body = { bytes: Uint8Array } | { bodyId: Id; raw: RawMessage };

/** Writes a large body in pieces. A body that is never committed is discarded, or removed by upkeep a day later. */
export type BodyWriter = {
  /** Writes a piece, one at a time. The caller may reuse the buffer after the promise has settled. */
  write(piece: Uint8Array): Promise<void>;
  finish(): Promise<{ bodyId: Id; raw: RawMessage }>;
  discard(): Promise<void>;
};

/** Place and flags of a message restored from an archive. It has no event, whatever its number. */
export type Restored = { id: Id } & Pick<
  MessageSummary,
  'isRead' | 'isFlagged' | 'expiresAt' | 'autoDelete' | 'copy'
>;

/** Account and mailbox that receive a message of the email. `mailbox` is a system mailbox's path, or a restored place. */
export type DeliveryTarget = {
  owner: Id;
  accountId: Id;
  mailbox: 'INBOX' | 'Sent' | Restored;
  /** Recipient as given by the client, with its tag. */
  deliveredTo: string;
  tag: string | null;
  /** All recipients that the account's copy is for. Absent if that is only `deliveredTo`. */
  recipients?: string[];
  /** Tags that replace the email's tags. */
  tags?: string[];
  /** Part of the envelope that this owner may see. */
  envelope: Envelope;
};

/**
 * Message to commit: a target, with the columns that may differ between an email's messages. `ownRecipients`: see `envelopeText`.
 * `countedBytes`: bytes of the message in its account's quota. `keys` and `traits`: see `traits.ts`.
 */
export type PreparedTarget = DeliveryTarget &
  Pick<MessageSummary, 'fromAddress' | 'fromName' | 'toAddresses' | 'tags'> & {
    ownRecipients: string;
    keys: string[];
    traits: number;
    countedBytes: number;
    /** Ruling by a version of the team's rules; null: by any version. Absent unless the team is known to have rules. */
    ruled?: { version: number | null; ruling: Ruling };
  };

/** Folded texts for searches. `recipients` are the header's. */
export type SearchColumns = MailRecord['search'] & { sender: string };

/**
 * Email ready to commit: everything that does not depend on the store's state. Contains plain values, so it can be sent to another
 * thread. All targets are stored, or none. `group`: consecutive emails of a commit with the same value are all stored, or none.
 */
export type PreparedMail = Omit<
  MailRecord,
  'search' | 'fromAddress' | 'fromName' | 'toAddresses' | 'tags' | 'traits' | 'submissionBytes'
> & {
  body: { bytes: Uint8Array } | { bodyId: Id };
  sizeBytes: number;
  receivedAt: Date;
  search: SearchColumns;
  targets: PreparedTarget[];
  group?: number;
};

/**
 * Reason why an email was not stored. `address` is the recipient that prevented it. `new-rules`: a team's rules have changed
 * since they were applied to the email.
 */
export type DeliveryRefusal = { reason: 'gone' | 'inactive' | 'no-room' | 'new-rules'; address: string };

/**
 * Outcome of an email: its message ids in the order of the targets, with their events, or a refusal. A message that a rule
 * discards has no id.
 */
export type DeliveryVerdict = { ids: Id[]; commits: Committed<Id[]>[] } | DeliveryRefusal;

/**
 * Domain of a recipient, and the accounts that may own the address: those with the addresses, or the catch-all. `failures` is the
 * version of the failure rules of the domain's team, 0 if it never had any.
 */
export type RecipientAnswer = {
  domain: {
    id: Id;
    owner: Id;
    active: boolean;
    verified: boolean;
    assumedClientIp: string | null;
    failures: number;
  };
  accounts: RecipientAccount[];
};

export type RecipientAccount = AccountFlags &
  Pick<Account, 'id' | 'address' | 'storageLimit' | 'usedBytes'> & { passwordHash: string | null };

export type DeliveryStore = {
  /** Finds a domain, and its accounts with these addresses, or its catch-all if no account has them. null: unknown domain. */
  lookUp(domain: string, addresses: string[]): Promise<RecipientAnswer | null>;
  /** Starts a body that is too large to keep in memory. */
  writeBody(): BodyWriter;
  /**
   * Stores emails durably in one transaction, each independently: bodies, rows, threads, counters and journal. Checks again that domain,
   * account and mailbox exist and are active, and that there is space. Event numbers follow the order of the emails; a copy in Sent has
   * no event and shares the number of the email's first received message. Creates the mailboxes that rules name. Returns a verdict on
   * each email. `wholly`: one refused email refuses the others too. Throws StoreUnavailable, and has then stored none.
   */
  commit(mails: PreparedMail[], options?: { wholly: boolean }): Promise<DeliveryVerdict[]>;
};

/** Mail that exceeds an account's free space. */
export type Unfit = { owner: Id; accountId: Id; load: Load };

/** Handling of mail that exceeds the free space. */
export type Fullness = {
  /** Account that deletes its oldest messages instead of refusing new mail: the account of `sandpost dev`. */
  readonly dropsOldest: Id | null;
  /** Settles when no email is freeing space. Null while none is. */
  readonly turns: Promise<unknown> | null;
  /** Runs work that frees space, after all earlier work of this kind. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Deletes some of the oldest messages if the account does so. Returns true if the email may now fit. */
  makeRoom(mail: Unfit): Promise<boolean>;
  /** Records refused mail. Marks the account as full, and logs one line per minute for it. */
  accountRefused(mail: Unfit): void;
  /** Records a write refused because the disk is full. Logs one line per minute. */
  diskRefused(): void;
};
