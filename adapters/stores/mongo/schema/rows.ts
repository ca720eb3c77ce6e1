import type { Collection, Db, Filter, FindOptions } from 'mongodb';
import type { ApiKey } from '#core/access/access.ts';
import type { Person, Team } from '#core/access/people.ts';
import type { Grant, Role } from '#core/access/role.ts';
import type { Account, AccountFlags } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Failure } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Envelope, MessageSummary } from '#core/messages/message.ts';
import type { Refusal } from '#core/refusals/refusal.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import type { AuditEntry } from '#core/teams/audit-log.ts';

/** Record with `_id` instead of `id`. */
type Row<T extends { id: Id }> = Omit<T, 'id'> & { _id: Id };
type SoftDeletable = { deleted: boolean };

/** Condition for rows that are not soft-deleted. It is an equality, as a partial index's filter requires. */
export const notDeleted = { deleted: false } as const;

export function idsOf<Row extends { _id: Id }>(
  rows: Pick<Collection<Row>, 'find'>,
  wanted: Filter<Row>,
  options: FindOptions = {},
): Promise<Id[]> {
  const found = rows.find<{ _id: Id }>(wanted, { ...options, projection: { _id: 1 } });
  return found.map(({ _id }) => _id).toArray();
}

/** User. `groups` are absent until an identity provider has sent them at a sign-in. */
export type UserRow = Row<Omit<Person, 'groups'>> & { groups?: string[] };
/** Identity. Its key is the issuer and the subject, separated by a space. */
export type IdentityRow = { _id: string; issuer: string; userId: Id };
/**
 * Team. `allowsShares` is absent if true, and `clients` if the team uses all clients. Both are absent in rows of versions that lacked
 * them.
 */
export type TeamRow = Row<Omit<Team, 'allowsShares' | 'clients'>> &
  SoftDeletable & { allowsShares?: boolean; clients?: string[] | null };
/** Membership in a team, keyed by both ids (`memberKey`). `role` is the highest of the grants. `suspended`: the user is disabled. */
export type MemberRow = {
  _id: string;
  team: Id;
  user: Id;
  role: Role;
  grants: Grant[];
  joinedAt: Date;
  suspended: boolean;
};
export type MailRuleRow = Row<MailRule> & { team: Id };
/** Failure. `key` is empty for a failure rule. */
export type FailureRow = Row<Failure> & { team: Id; key: string };
export type RefusalRow = Row<Refusal>;
export type AuditRow = Row<AuditEntry>;
export type SessionRow = { _id: string; userId: Id; keyId: Id | null; createdAt: Date; expiresAt: Date };
/** API key. `accountIds` is absent for an unlimited key, and in rows of versions that lacked it. */
export type ApiKeyRow = Row<Omit<ApiKey, 'createdBy' | 'accountIds'>> & {
  createdBy: Id | null;
  accountIds?: Id[];
  hash: string;
};

/**
 * Domain. `path` is the result of `domainPath`. `move` is present while the domain is moving to another team. `assumedClientIp` is absent
 * in rows of versions that lacked it. `failures` is the version of the team's failure rules, as in the team's row.
 */
export type DomainRow = Row<Omit<Domain, 'assumedClientIp'>> &
  SoftDeletable & { path: string; assumedClientIp?: string | null; failures?: number; move?: MoveNote };
/**
 * Move of a domain: its teams, whether the domain is otherwise active, the amount by which its messages' numbers rise, and the team's
 * newest number at the end.
 */
export type MoveNote = { from: Id; to: Id; active: boolean; shift: number; newest: number };
/** Account. `threaded` is set once an email in the account has referred to others. Until then, the account has no rows in `tokens`. */
export type AccountRow = Row<Omit<Account, 'mailboxes' | 'fullAt' | keyof AccountFlags>> &
  Partial<AccountFlags> &
  SoftDeletable & { passwordHash: string | null; threaded?: true; fullAt?: Date };
/**
 * Mailbox. `bytes` is the share of its messages in the account's used bytes. `sentCopies` counts the copies that a send left in Sent.
 * `moved`: its messages have reached another team, and its domain is still moving.
 */
export type MailboxRow = Row<Mailbox> &
  SoftDeletable & { owner: Id; pathKey: string; bytes: number; sentCopies: number; moved?: true };

/**
 * Folded text that `q=`, `subject=`, `from=` and `to=` search. If the fields are too long for a row, `text` is null, and `searchPieces`
 * contains all fields in pieces.
 */
export type SearchFields = { subject: string; from: string; to: string; text: string | null };

/**
 * Message in one account. `mailId` identifies the raw body and the content, which an email's messages share. `siblings` are the ids of
 * all of the email's messages, null for a single message. `dueAt` is the time at which `expiresAt` removes the message, or `never`.
 * `sentCopy`: the message is a copy that a send left in Sent, and is still there. `marks`: the flags, as encoded by `marksOf`. `code` is
 * '' for an email without a code. `code` and `mainLink` are absent in a row that an earlier version wrote, until upkeep fills it.
 * `countedBytes` is absent if it equals `sizeBytes`.
 */
export type MessageRow = Row<Omit<MessageSummary, 'threadId' | 'code' | 'mainLink' | 'tags' | 'traceId'>> & {
  code?: string | null;
  mainLink?: string | null;
  countedBytes?: number;
  tags?: string[];
  traceId?: string;
  traits?: string | null;
  keys?: string[];
  owner: Id;
  mailId: Id;
  siblings: Id[] | null;
  dueAt: Date;
  sentCopy: boolean;
  marks: number;
  envelope: Envelope;
  deliveredTo: string;
  tag: string | null;
  search: SearchFields;
  /** Keys of Message-IDs (`conversations.ts`): the message's own, and those that the message refers to. */
  ownToken: string | null;
  references: string[];
  conversationId: Id | null;
};

/** Messages that belong together, under a separate key. Once there are two messages, `earliest` is shown as their thread. */
export type ConversationRow = { _id: Id; earliest: Id; number: number; size: number };

/** Message-ID that an account's messages refer to, under the key `tokenKey`. `referrers` counts these messages. */
export type TokenRow = { _id: string; conversationId: Id; referrers: number };

/** Date that never comes. Rows that would have no date have this one, so an index also serves them. */
export const never = new Date(8_640_000_000_000_000);

export type SearchPieceRow = { messageId: Id; owner: Id; accountId: Id; text: string };

export type JournalRow = MailEvent & { owner: Id };

/**
 * Version of a team. `number` is the team's newest event number. The journal has no events up to `pruned`. Each of a team's transactions
 * writes this row first: `version` counts transactions, and `changes` counts transactions that did more than deliver mail. `rules` counts
 * changes to the mail rules, `failures` changes to the failure rules. Both are absent before the first change.
 */
export type TeamVersionRow = {
  _id: Id;
  number: number;
  pruned: number;
  version: number;
  changes: number;
  rules?: number;
  failures?: number;
};

/**
 * Orphan body that is being received or, if `spent`, was left by a removal. `messages` are the message ids of its email. `marks` counts
 * the writes of this row.
 */
export type OrphanBodyRow = { _id: Id; begunAt: Date; spent: boolean; messages: Id[]; marks: number };

/**
 * Content of an email, stored with the file of its raw body, so one write stores both. If the content is too long, the note contains only
 * the lengths of its parts, in bytes. The bucket `largeContents` then contains the parts as UTF-8, one after another.
 */
export type ContentNote = ContentParts<string> | { lengths: ContentParts<number> };
export type ContentParts<Part> = { json: Part; text: Part | null; html: Part | null };

/** Cluster to which a team's managed objects belong. */
export type ClaimRow = { _id: Id; cluster: string };
export type LeaseRow = { _id: string; holder: string; expiresAt: Date };
export type CounterRow = { _id: string; last: number };
/**
 * Rows of `meta`: `schema` contains the version with the applied migrations, `ping` the time of the latest ping, and `installation` the
 * name.
 */
export type MetaRow = {
  _id: 'schema' | 'ping' | 'installation';
  version?: number;
  migrations?: number[];
  at?: Date;
  name?: string;
};

/** Collections of a store, with their names in the database. Collections used only by the steps of `rows/` have no type. */
export type Collections = ReturnType<typeof collectionsOf>;

export function collectionsOf(db: Db) {
  return {
    meta: db.collection<MetaRow>('meta'),
    counters: db.collection<CounterRow>('counters'),
    leases: db.collection<LeaseRow>('leases'),
    claims: db.collection<ClaimRow>('claims'),
    orphans: db.collection('orphans'),
    users: db.collection<UserRow>('users'),
    identities: db.collection<IdentityRow>('identities'),
    teams: db.collection<TeamRow>('teams'),
    members: db.collection<MemberRow>('members'),
    memberRules: db.collection('memberRules'),
    invitations: db.collection('invitations'),
    auditLog: db.collection<AuditRow>('auditLog'),
    sessions: db.collection<SessionRow>('sessions'),
    apiKeys: db.collection<ApiKeyRow>('apiKeys'),
    teamVersions: db.collection<TeamVersionRow>('teamVersions'),
    journal: db.collection<JournalRow>('journal'),
    domains: db.collection<DomainRow>('domains'),
    accounts: db.collection<AccountRow>('accounts'),
    mailboxes: db.collection<MailboxRow>('mailboxes'),
    messages: db.collection<MessageRow>('messages'),
    searchPieces: db.collection<SearchPieceRow>('searchPieces'),
    conversations: db.collection<ConversationRow>('conversations'),
    tokens: db.collection<TokenRow>('tokens'),
    mailRules: db.collection<MailRuleRow>('mailRules'),
    failures: db.collection<FailureRow>('failures'),
    savedSearches: db.collection('savedSearches'),
    shares: db.collection('shares'),
    orphanBodies: db.collection<OrphanBodyRow>('orphanBodies'),
    refusals: db.collection<RefusalRow>('refusals'),
  };
}
