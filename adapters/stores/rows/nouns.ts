import type { ApiKey } from '#core/access/access.ts';
import type { Invitation, MemberRule, Rule, RuleGrant, RuleGrants, RuleSource } from '#core/access/people.ts';
import { roleFrom } from '#core/access/role.ts';
import type { Account } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { MoveState } from '#core/domains/move.ts';
import type { Failure, FailureRule } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { ReadScope } from '#core/reads.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import type { Share } from '#core/shares/share.ts';
import { all, count, customQuery, one, type Steps } from './steps.ts';
import type { AccountRow, FailureRow, InvitationRow, KeyRow, ShareRow } from './tables.ts';
import * as tables from './tables.ts';

export type BareAccount = Omit<Account, 'mailboxes'>;

export const same = <Row>(row: Row) => row;
export const toAccount = ({ passwordHash: _, ...account }: AccountRow): BareAccount => account;
export const toInvitation = ({ hash: _, ...invitation }: InvitationRow): Invitation => invitation;
export const toShare = ({ hash: _, ...share }: ShareRow): Share => share;
/** Fields that rows of earlier versions lack. */
const failureDefaults = { name: null, active: true };
export const failureOf = ({ words, team: _, key: _key, ...row }: FailureRow): Failure => ({
  ...failureDefaults,
  ...words,
  ...row,
});
export const failureRuleOf = ({ words, id, createdAt, expiresAt }: FailureRow): FailureRule => ({
  ...failureDefaults,
  ...words,
  id,
  createdAt,
  expiresAt,
});

export function* keysWith(rows: KeyRow[]): Steps<ApiKey[]> {
  const creators = rows.flatMap(({ createdBy }) => createdBy ?? []);
  const found = creators.length === 0 ? [] : yield* all(tables.users, { id: { in: creators } });
  const byId = new Map(found.map(({ id, email, createdAt }) => [id, { id, email, createdAt }]));
  return rows.map(({ hash: _, createdBy, ...row }) => ({
    ...row,
    createdBy: byId.get(createdBy ?? 0) ?? null,
  }));
}

export function* keyWith(row: KeyRow): Steps<ApiKey | null> {
  return (yield* keysWith([row]))[0] ?? null;
}

export function* findAccount(owner: Id, id: Id): Steps<BareAccount | null> {
  const row = yield* one(tables.accounts, { id, owner });
  return row && toAccount(row);
}

/** Hint for the index of an account's mailboxes. */
export const ofAccount = { hint: { sqlite: 'mailbox_account' } };

/** Reads accounts' mailboxes. Each account's mailboxes are in the order of creation. */
export function* mailboxesOf(ids: Id[], owner?: Id): Steps<Map<Id, Mailbox[]>> {
  const rows = yield* all(
    tables.mailboxes,
    { accountId: { in: ids }, owner },
    {
      order: ['accountId', 'id'],
      ...ofAccount,
    },
  );
  return Map.groupBy(rows, ({ accountId }) => accountId);
}

/** Reads a team's valid share links, newest first: those whose message or account exists, and the ids of the others. */
export function* sharesOf(team: Id, now: Date): Steps<{ live: Share[]; gone: Id[] }> {
  const rows = yield* all(tables.shares, { team, expiresAt: { above: now } }, { order: ['-id'] });
  const messages = rows.flatMap(({ messageId }) => messageId ?? []);
  const places = yield* customQuery('mailboxesWith', messages, team);
  const boxes = yield* all(tables.mailboxes, { id: { in: places.map(({ mailboxId }) => mailboxId) } });
  const mailboxIds = new Set(boxes.map(({ id }) => id));
  const messageIds = new Set(places.flatMap(({ id, mailboxId }) => (mailboxIds.has(mailboxId) ? id : [])));
  const accounts = rows.flatMap(({ accountId }) => accountId ?? []);
  const owned = yield* all(tables.accounts, { id: { in: accounts }, owner: team });
  const accountIds = new Set(owned.map(({ id }) => id));
  const isLive = ({ messageId, accountId }: Share) =>
    messageId === null ? accountIds.has(accountId ?? 0) : messageIds.has(messageId);
  return {
    live: rows.filter(isLive).map(toShare),
    gone: rows.flatMap((row) => (isLive(row) ? [] : row.id)),
  };
}

export function* searchesOf(team: Id): Steps<SavedSearch[]> {
  return (yield* all(tables.savedSearches, { team }, { order: ['id'] })).map(
    ({ team: _, ...search }) => search,
  );
}

export function* mailRulesOf(team: Id): Steps<MailRule[]> {
  const rows = yield* all(tables.mailRules, { team }, { order: ['position', 'id'] });
  return rows.map(({ words, team: _, ...row }) => ({ ...words, ...row }));
}

export function* memberRulesOf(source: RuleSource | undefined): Steps<MemberRule[]> {
  const wanted = source === undefined ? { id: { above: 0 } } : { source };
  const rules = yield* all(tables.memberRules, wanted, { order: ['id'] });
  const found: MemberRule[] = [];
  for (const rule of rules) {
    const members = (yield* customQuery('members', { source: rule.source })).map(({ user }) => user);
    found.push({ ...rule, members: members.sort((a, b) => a - b) });
  }
  return found;
}

export function ruleGrants({ rule, user = 0 }: ReadScope): Steps<RuleGrants> {
  return rule === undefined ? grantsOfUser(user) : grantsOfRule(rule);
}

const grantOf = ({ team, source, role }: Rule, user: Id): RuleGrant[] =>
  role === null ? [] : [{ team, user, source, role }];

function* grantsOfUser(id: Id): Steps<RuleGrants> {
  const person = yield* one(tables.users, { id });
  if (person === null) return { given: [], held: [] };
  const groups = yield* customQuery('groupsOf', id);
  const byEmail = yield* all(tables.memberRules, { email: person.email });
  const byGroup = groups.length === 0 ? [] : yield* all(tables.memberRules, { group: { in: groups } });
  const held = yield* customQuery('members', { user: id });
  return {
    given: [...byEmail, ...byGroup].flatMap((rule) => grantOf(rule, id)),
    held: held.flatMap(({ team, grants }) =>
      grants.flatMap(({ source, role }) => (isRule(source) ? [{ team, user: id, source, role }] : [])),
    ),
  };
}

function* grantsOfRule(source: RuleSource): Steps<RuleGrants> {
  const rule = yield* one(tables.memberRules, { source });
  const held = yield* customQuery('members', { source });
  return {
    given: rule === null ? [] : (yield* subjects(rule)).flatMap((user) => grantOf(rule, user)),
    held: held.flatMap(({ team, user, grants }) => {
      const role = roleFrom(grants, source);
      return role === null ? [] : [{ team, user, source, role }];
    }),
  };
}

function* subjects({ email, group }: Rule): Steps<Id[]> {
  if (group !== null) return yield* customQuery('usersIn', group);
  return (yield* all(tables.users, { email: email ?? '' })).map(({ id }) => id);
}

function isRule(source: string): source is RuleSource {
  return source.includes('/');
}

export function* readMoveState({ id, name, managedBy }: Domain, to: Id): Steps<MoveState> {
  const managed = yield* one(tables.accounts, { domainId: id, managedBy: { not: null } });
  const capture = yield* one(tables.accounts, { domainId: id, capture: true });
  const theirs = yield* one(tables.accounts, { owner: to, capture: true });
  return {
    managedBy,
    managedAccount: managed && { address: managed.address, managedBy: managed.managedBy ?? '' },
    related: yield* customQuery('related', to, name),
    accounts: yield* count(tables.accounts, { domainId: id }),
    capture: capture?.address ?? null,
    target: (yield* one(tables.teams, { id: to })) && {
      domains: yield* customQuery('owned', 'domains', to),
      accounts: yield* customQuery('owned', 'accounts', to),
      capture: theirs?.address ?? null,
    },
  };
}
