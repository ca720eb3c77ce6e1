import type { Account, AccountFlags } from '#core/accounts/account.ts';
import type { Load } from '#core/accounts/room.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';
import type { Envelope, MessageSummary, RawMessage } from '#core/messages/message.ts';
import type { Ruling } from '#core/rules/ruling.ts';

/** Body of a mail before its commit: in memory, or in the store under `bodyId` if it is large. */
export type Body = { bytes: Uint8Array } | { bodyId: Id; raw: RawMessage };

/** Writes a large body in pieces. A body that is never committed is discarded, or removed by upkeep a day later. */
export type BodyWriter = {
  /** Writes a piece, one at a time. The caller may reuse the buffer once the promise has settled. */
  write(piece: Uint8Array): Promise<void>;
  finish(): Promise<{ bodyId: Id; raw: RawMessage }>;
  discard(): Promise<void>;
};

/** Place and flags of a message that is restored from an archive. It has no event, whatever its number. */
export type Restored = { id: Id } & Pick<
  MessageSummary,
  'isRead' | 'isFlagged' | 'expiresAt' | 'autoDelete' | 'copy'
>;

/** Account and mailbox that get a message of the mail. `mailbox` is the path of a system mailbox, or a restored place. */
export type DeliveryTarget = {
  owner: Id;
  accountId: Id;
  mailbox: 'INBOX' | 'Sent' | Restored;
  /** Recipient as the client gave it, with its tag. */
  deliveredTo: string;
  tag: string | null;
  /** All recipients that the account's copy is for. Missing where that is `deliveredTo` alone. */
  recipients?: string[];
  /** Tags that replace those of the mail. */
  tags?: string[];
  /** Part of the envelope that this owner may see. */
  envelope: Envelope;
};

/**
 * Message of a mail to be committed: a target, with the columns that may differ between the messages of a mail. `ownRecipients`:
 * see `envelopeText`. `countedBytes`: bytes of the message in the quota of its account. `keys` and `traits`: see `traits.ts`.
 */
export type PreparedTarget = DeliveryTarget &
  Pick<MessageSummary, 'fromAddress' | 'fromName' | 'toAddresses' | 'tags'> & {
    ownRecipients: string;
    keys: string[];
    traits: number;
    countedBytes: number;
    /** Ruling by a version of the rules of the team; null: by any. Absent where the team is not known to have rules. */
    ruled?: { version: number | null; ruling: Ruling };
  };

/** Folded texts that searches look in. `recipients` are those of the header. */
export type SearchColumns = MailRecord['search'] & { sender: string };

/**
 * Mail that is ready to be committed: all that does not depend on the store's state. Plain values, so that it can be sent to
 * another thread. All targets are stored, or none. `group`: mails of a commit that follow one another and have the same are
 * stored all, or none.
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
 * Reason why a mail was not stored. `address` is the recipient that prevented it. `new-rules`: the rules of a team have changed since
 * they were applied to the mail.
 */
export type DeliveryRefusal = { reason: 'gone' | 'inactive' | 'no-room' | 'new-rules'; address: string };

/**
 * Outcome of a mail: ids of its messages in the order of the targets, with their events, or a refusal. A message that a rule discards
 * has no id.
 */
export type DeliveryVerdict = { ids: Id[]; commits: Committed<Id[]>[] } | DeliveryRefusal;

/**
 * Domain of a recipient, and the accounts that may own the address: those of the addresses, or the catch-all. `failures` is the
 * version of the failure rules of the domain's team, 0 for none ever.
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
  /** Finds a domain, and its accounts of these addresses, or its catch-all where none has one. null: unknown domain. */
  lookUp(domain: string, addresses: string[]): Promise<RecipientAnswer | null>;
  /** Begins a body that is too large to keep in memory. */
  writeBody(): BodyWriter;
  /**
   * Stores mails durably in one transaction, each by itself: bodies, rows, threads, counters and journal. Checks again that
   * domain, account and mailbox live and are active, and that there is room. Event numbers follow the order of the mails; a copy
   * in Sent has no event and shares the number of the mail's first received message. Makes the mailboxes that rules name. Returns
   * a verdict of each mail. `wholly`: a mail that is refused refuses the others too. Throws StoreUnavailable, and has stored none
   * then.
   */
  commit(mails: PreparedMail[], options?: { wholly: boolean }): Promise<DeliveryVerdict[]>;
};

/** Mail that an account has no room for. */
export type Unfit = { owner: Id; accountId: Id; load: Load };

/** Handling of mail for which there is no room. */
export type Fullness = {
  /** Account that drops its oldest mail instead of refusing new mail: that of `sandpost dev`. */
  readonly dropsOldest: Id | null;
  /** Settles when no mail makes room. Null while none does. */
  readonly turns: Promise<unknown> | null;
  /** Does work that makes room, after all such work before it. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Drops some of the oldest mail if the account is the one that does. True if the mail may fit now. */
  makeRoom(mail: Unfit): Promise<boolean>;
  /** Notes mail that was refused. Marks the account as full, and logs one line a minute for it. */
  accountRefused(mail: Unfit): void;
  /** Notes a write that was refused because the disk is full. Logs one line a minute. */
  diskRefused(): void;
};
