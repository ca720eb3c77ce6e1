import type { Account, AccountFlags } from '#core/accounts/account.ts';
import type { Load } from '#core/accounts/room.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';
import type { Envelope, MessageSummary, RawMessage } from '#core/messages/message.ts';
import type { Ruling } from '#core/rules/ruling.ts';

/** Body of an email before the commit: in memory or, if large, in the store under `bodyId`. */
export type Body = { bytes: Uint8Array } | { bodyId: Id; raw: RawMessage };

/** Writes a large body in pieces. If the body is not committed, it is discarded, or upkeep removes it a day later. */
export type BodyWriter = {
  /** Writes a piece. Calls must not overlap. The caller may reuse the buffer once the promise has settled. */
  write(piece: Uint8Array): Promise<void>;
  finish(): Promise<{ bodyId: Id; raw: RawMessage }>;
  discard(): Promise<void>;
};

/** Place and flags of a message restored from an archive. A restored message has no event, although it has a number. */
export type Restored = { id: Id } & Pick<
  MessageSummary,
  'isRead' | 'isFlagged' | 'expiresAt' | 'autoDelete' | 'copy'
>;

/** Account and mailbox that receive one of the email's messages. `mailbox` is a system mailbox's path, or a restored message's place. */
export type DeliveryTarget = {
  owner: Id;
  accountId: Id;
  mailbox: 'INBOX' | 'Sent' | Restored;
  /** Recipient address as the client sent it, including the tag. */
  deliveredTo: string;
  tag: string | null;
  /** All recipients for whom the account stores this message. Absent if `deliveredTo` is the only one. */
  recipients?: string[];
  /** Tags that replace the ones from the email. */
  tags?: string[];
  /** Part of the envelope that the account's owner may see. */
  envelope: Envelope;
};

/**
 * Message to commit: a target, with the columns that may differ between an email's messages. `ownRecipients`: see `envelopeText`.
 * `countedBytes`: bytes that the message takes in its account's quota. `keys` and `traits`: see `traits.ts`.
 */
export type PreparedTarget = DeliveryTarget &
  Pick<MessageSummary, 'fromAddress' | 'fromName' | 'toAddresses' | 'tags'> & {
    ownRecipients: string;
    keys: string[];
    traits: number;
    countedBytes: number;
    /**
     * Ruling, and the version of the team's rules that it is based on; if null, the ruling holds in any version. Absent unless the team
     * is known to have rules.
     */
    ruled?: { version: number | null; ruling: Ruling };
  };

/** Folded texts for searches. `recipients` come from the header. */
export type SearchColumns = MailRecord['search'] & { sender: string };

/**
 * Email ready to commit: everything that does not depend on the store's state. Contains plain values, so it can be sent to another
 * thread. Either all targets are stored, or none. `group`: consecutive emails of a commit with the same value are either all stored, or
 * none.
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
 * Reason why an email was not stored. `address` is the recipient that prevented it. `new-rules`: a team's rules have changed since they
 * were applied to the email.
 */
export type DeliveryRefusal = { reason: 'gone' | 'inactive' | 'no-room' | 'new-rules'; address: string };

/**
 * Outcome of an email: its message IDs in the order of the targets, with their events, or a refusal. A message that a rule discards has no
 * ID.
 */
export type DeliveryVerdict = { ids: Id[]; commits: Committed<Id[]>[] } | DeliveryRefusal;

/**
 * Domain of a recipient, and the accounts that may receive mail for the address: those with the addresses, or the catch-all. `failures` is
 * the version of the failure rules of the domain's team, 0 if the team never had any.
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
  /**
   * Finds a domain, and its accounts with these addresses, or its catch-all if no account has them. Returns null if the domain is not
   * registered.
   */
  lookUp(domain: string, addresses: string[]): Promise<RecipientAnswer | null>;
  /** Starts a body that is too large to keep in memory. */
  writeBody(): BodyWriter;
  /**
   * Stores emails durably in one transaction, each independently of the others: bodies, rows, threads, counters and journal. Checks again
   * that domain, account and mailbox exist and are active, and that there is space. Event numbers follow the order of the emails; a copy
   * in Sent has no event and shares the number of the email's first received message. Creates the mailboxes that rules name. Returns a
   * verdict on each email. `wholly`: if one email is refused, none is stored. Throws StoreUnavailable if no email was stored.
   */
  commit(mails: PreparedMail[], options?: { wholly: boolean }): Promise<DeliveryVerdict[]>;
};

/** Mail that exceeds an account's free space. */
export type Overflow = { owner: Id; accountId: Id; load: Load };

/** Handling of mail that exceeds an account's free space. */
export type OverflowHandler = {
  /** Account that deletes its oldest messages instead of refusing new mail. Only `sandpost dev` has such an account. */
  readonly dropsOldest: Id | null;
  /** Promise that settles when no email is freeing space any more. Null if none is. */
  readonly turns: Promise<unknown> | null;
  /** Runs work that frees space after all earlier work of this kind has ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Deletes some of the oldest messages if the account is one that makes space. Returns true if the email may now fit. */
  makeRoom(mail: Overflow): Promise<boolean>;
  /** Records mail that an account refused. Marks the account as full, and logs at most one line per minute for each account. */
  accountRefused(mail: Overflow): void;
  /** Records a write that failed because the disk is full. Logs at most one line per minute. */
  diskRefused(): void;
};
