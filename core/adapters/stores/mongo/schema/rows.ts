import type { ApiKey } from '#core/access/access.ts';
import type { Account } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Orphan } from '#core/managers/manager.ts';
import type { Envelope, MessageSummary } from '#core/messages/message.ts';

/** A record under its id; `living` turns false when it is buried. */
type Row<T extends { id: Id }> = Omit<T, 'id'> & { _id: Id };
type Mortal = { living: boolean };

export type UserRow = { _id: Id; email: string; passwordHash: string | null; createdAt: Date };
/** Sessions of earlier versions do not tell when they began, or with which key: they count as ended. */
export type SessionRow = {
  _id: string;
  userId: Id;
  keyId?: Id | null;
  createdAt?: Date;
  expiresAt: Date;
};
export type ApiKeyRow = Row<ApiKey> & { owner: Id; hash: string };

/** `path` as `domainPath` gives it; rows of earlier versions get it at the start. */
export type DomainRow = Row<Domain> & Mortal & { path?: string };
/** `threaded`, once a mail in it referred to others: only then has it rows in `tokens`. */
export type AccountRow = Row<Omit<Account, 'mailboxes'>> &
  Mortal & { passwordHash: string | null; threaded?: true };
/** `bytes` is what its messages count in the account, `sentCopies` how many of them a send left in Sent. */
export type MailboxRow = Row<Mailbox> &
  Mortal & { owner: Id; pathKey: string; bytes: number; sentCopies: number };

/** What `q` and its fellows look in, folded; `null` text stands in pieces, with all the other fields, in `searchPieces`. */
export type SearchFields = { subject: string; from: string; to: string; text: string | null };

/**
 * One message in one account. `mailId` names what the messages of one mail share: raw body and content; `siblings` are the
 * ids that they all got, null for a single one; rows of earlier versions do not tell. `dueAt` is when `expiresAt` is acted
 * upon, `never` where it is not. `sentCopy`: what a send left in Sent, while it is there. `marks`: the flags as
 * `marksOf` puts them together.
 */
export type MessageRow = Row<Omit<MessageSummary, 'threadId'>> & {
  owner: Id;
  mailId: Id;
  siblings?: Id[] | null;
  dueAt: Date;
  sentCopy: boolean;
  marks: number;
  envelope: Envelope;
  deliveredTo: string;
  tag: string | null;
  search: SearchFields;
  /** Message-IDs as keys (`conversations.ts`): its own, and those that it refers to. */
  ownToken: string | null;
  references: string[];
  conversationId: Id | null;
};

/** Messages that belong together, under a key of their own; `earliest` is shown as their thread once they are two. */
export type ConversationRow = { _id: Id; earliest: Id; number: number; size: number };

/** A Message-ID that messages of an account refer to, under `tokenKey`: how many do, and their conversation. */
export type TokenRow = { _id: string; conversationId: Id; referrers: number };

/** A date that never comes, so that an index answers for rows without one. */
export const never = new Date(8_640_000_000_000_000);

export type SearchPieceRow = { messageId: Id; owner: Id; accountId: Id; text: string };

/** An event under the user whose it is. */
export type JournalRow = MailEvent & { owner: Id };

/**
 * A user's newest event number; up to `pruned` the journal has no events. Each transaction of a user writes this row first:
 * `version` counts them, `changes` those that did anything but deliver mail.
 */
export type UserVersionRow = { _id: Id; number: number; pruned: number; version: number; changes: number };

/**
 * A body without a message: on its way in, or (`spent`) left by one that was removed. `messages` are those that its mail
 * became, null where a row of an earlier version does not tell; `marks` counts its markings.
 */
export type LooseBodyRow = {
  _id: Id;
  begunAt: Date;
  spent: boolean;
  messages?: Id[] | null;
  marks: number;
};

/** The cluster that a user's managed things belong to. */
export type ClaimRow = { _id: Id; cluster: string };
/** An orphan under its kind and id. */
export type OrphanRow = Orphan & { _id: string };
export type LeaseRow = { _id: string; holder: string; expiresAt: Date };
export type CounterRow = { _id: string; last: number };
/** Row `schema` has the version, `ping` the time of the last sign of life that was written. */
export type MetaRow = {
  _id: 'schema' | 'ping' | 'installation';
  version?: number;
  at?: Date;
  name?: string;
};
