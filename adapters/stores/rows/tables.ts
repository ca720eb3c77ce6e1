import { type ApiKey, type KeyScope, keyScopes } from '#core/access/access.ts';
import type { Invitation, Person, Rule, Team } from '#core/access/people.ts';
import type { TeamKind } from '#core/access/role.ts';
import { type Account, defaultFlags } from '#core/accounts/account.ts';
import type { StoredSession } from '#core/change.ts';
import type { RecipientAccount } from '#core/delivery/delivery.ts';
import type { Domain, Verification } from '#core/domains/domain.ts';
import type { Attempt, CountWindow, Failure, FailureWords } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Orphan } from '#core/managers/manager.ts';
import type { Refusal } from '#core/refusals/refusal.ts';
import type { MailRule, RuleCounts, RuleWords } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import type { Share } from '#core/shares/share.ts';
import type { AuditEntry } from '#core/teams/audit-log.ts';
import { bit, date, type FieldsOf, flags, json, nullable, parts, plain, role, table, word } from './table.ts';

const id = plain<Id>();
const text = plain<string>();
const number = plain<number>();
const maybeText = plain<string | null>();
const team = plain<Id>('team_id');
const made = date();
const kinds: TeamKind[] = ['personal', 'shared', 'managed'];

export const teams = table<Team>(
  ['team', 'teams'],
  {
    id,
    name: text,
    kind: word(kinds),
    createdAt: made,
    allowsShares: { ...bit, absent: true },
    clients: { ...nullable(json<string[]>()), absent: null },
  },
  { deletion: 'own' },
);

export type UserRow = Omit<Person, 'groups'>;
export const users = table<UserRow>(['user', 'users'], {
  id,
  email: text,
  passwordHash: maybeText,
  createdAt: made,
  emailVerified: bit,
  disabledAt: nullable(date()),
});

export const memberRules = table<Rule>(['member_rule', 'memberRules'], {
  id,
  source: plain<Rule['source']>(),
  team,
  email: maybeText,
  group: plain<string | null>('group_name'),
  role: nullable(role),
});

export type InvitationRow = Invitation & { hash: string };
export const invitations = table<InvitationRow>(['invitation', 'invitations'], {
  id,
  team,
  role,
  email: maybeText,
  createdBy: plain<Id | null>(),
  createdAt: made,
  expiresAt: date(),
  hash: text,
});

export type KeyRow = Omit<ApiKey, 'createdBy'> & { createdBy: Id | null; hash: string };
export const keyFields: FieldsOf<Omit<KeyRow, 'hash'>> = {
  id,
  owner: id,
  name: text,
  prefix: text,
  scope: word<KeyScope>([...keyScopes, 'accounts']),
  accountIds: { ...nullable(json<Id[]>()), absent: null },
  expiresAt: nullable(date()),
  createdBy: plain<Id | null>(),
  managedBy: maybeText,
  createdAt: made,
  lastUsedAt: nullable(date()),
};
export const apiKeys = table<KeyRow>(['api_key', 'apiKeys'], { ...keyFields, hash: text });

export const sessions = table<StoredSession>(
  ['session', 'sessions'],
  {
    hash: text,
    userId: id,
    keyId: plain<Id | null>(),
    createdAt: date('begun_at'),
    expiresAt: date(),
  },
  { key: 'hash' },
);

const verification = parts<Verification>({
  status: plain<Verification['status']>(),
  source: plain<Verification['source']>(),
  detail: maybeText,
  refusals: number,
  checkedAt: nullable(date()),
  nextCheckAt: nullable(date()),
});

type DomainRow = Domain & { path: string };
export const domains = table<DomainRow, 'path'>(
  ['domain', 'domains'],
  {
    id,
    owner: id,
    name: text,
    active: bit,
    verification,
    managedBy: maybeText,
    assumedClientIp: { ...maybeText, absent: null },
    createdAt: made,
    updatedAt: date(),
    path: text,
  },
  { deletion: 'own', hidden: ['path'] },
);

/** Fields of an account that receiving mail requires. MongoDB omits a flag that a later version added if it has its default value. */
export const recipientFields: FieldsOf<RecipientAccount> = {
  id,
  address: text,
  ...flags(defaultFlags),
  active: bit,
  catchAll: bit,
  capture: bit,
  storageLimit: number,
  usedBytes: number,
  passwordHash: maybeText,
};

export const recipientAccounts = table<RecipientAccount>(['account', 'accounts'], recipientFields);

export type AccountRow = Omit<Account, 'mailboxes'> & { passwordHash: string | null };
export const accounts = table<AccountRow>(
  ['account', 'accounts'],
  {
    ...recipientFields,
    owner: id,
    domainId: id,
    fullAt: { ...nullable(date()), absent: null },
    managedBy: maybeText,
    createdAt: made,
    updatedAt: date(),
  },
  { deletion: 'domain' },
);

type MailboxRow = Mailbox & { owner: Id; pathKey: string };
export const mailboxes = table<MailboxRow, 'owner' | 'pathKey'>(
  ['mailbox', 'mailboxes'],
  {
    id,
    accountId: id,
    path: text,
    system: bit,
    total: number,
    unread: number,
    createdAt: made,
    owner: id,
    pathKey: text,
  },
  { deletion: 'domain', hidden: ['owner', 'pathKey'] },
);

export const savedSearches = table<SavedSearch & { team: Id }>(['saved_search', 'savedSearches'], {
  id,
  team,
  name: text,
  q: text,
});

export type MailRuleRow = RuleCounts & Pick<MailRule, 'id' | 'position'> & { team: Id; words: RuleWords };
export const mailRules = table<MailRuleRow>(
  ['mail_rule', 'mailRules'],
  { id, team, position: number, words: json<RuleWords>(), matched: number, discarded: number },
  { rest: 'words' },
);

const dated = (attempts: Attempt[]) => attempts.map(({ at, ...rest }) => ({ at: new Date(at), ...rest }));
const countWindow = parts<CountWindow>({ since: date('window_since'), count: plain<number>('window_count') });

/** Failure. `key` is empty for a failure rule. */
export type FailureRow = Omit<Failure, keyof FailureWords> & { team: Id; key: string; words: FailureWords };
export const failures = table<FailureRow>(
  ['failure', 'failures'],
  {
    id,
    team,
    key: text,
    words: json<FailureWords>(),
    createdAt: made,
    expiresAt: date(),
    hits: number,
    attempts: json('', dated),
    window: {
      ...nullable(countWindow),
      toColumns: (window) => (window === null ? [null, 0] : countWindow.toColumns(window)),
    },
  },
  { rest: 'words' },
);

/** Refusal. `facts` are all of its fields except team and time. */
export type RefusalRow = Pick<Refusal, 'id' | 'team' | 'at'> & { facts: Omit<Refusal, 'id' | 'team' | 'at'> };
export const refusals = table<RefusalRow>(
  ['refusal', 'refusals'],
  { id, team, at: date(), facts: json<RefusalRow['facts']>() },
  { rest: 'facts' },
);

export type AuditRow = Omit<AuditEntry, 'more'> & { more: number | null };
export const auditLog = table<AuditRow>(['audit_entry', 'auditLog'], {
  id,
  team,
  at: date(),
  actor: text,
  action: plain<AuditEntry['action']>(),
  target: text,
  remoteAddress: maybeText,
  more: { ...plain<number | null>(), absent: null, bson: 'number' },
});

export type ShareRow = Share & { hash: string };
export const shares = table<ShareRow>(['share', 'shares'], {
  id,
  team,
  messageId: plain<Id | null>(),
  accountId: plain<Id | null>(),
  name: text,
  createdBy: plain<Id | null>(),
  createdAt: made,
  expiresAt: date(),
  openedAt: nullable(date()),
  hash: text,
});

export const claims = table<{ owner: Id; cluster: string }>(
  ['claim', 'claims'],
  { owner: id, cluster: text },
  { key: 'owner' },
);

export const orphans = table<Orphan>(
  ['orphan', 'orphans'],
  { owner: id, kind: plain<Orphan['kind']>(), id, since: date() },
  { key: ['kind', 'id'] },
);
