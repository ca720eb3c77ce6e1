import type { ApiKey } from '#core/access/access.ts';
import type { Membership, Surroundings } from '#core/access/people.ts';
import type { Account } from '#core/accounts/account.ts';
import type { Credentials } from '#core/archive/archive.ts';
import type { Facts, NewIds, Scope } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';
import type { ReadScope, Reads } from '#core/reads.ts';
import type { Member } from '#core/teams/team.ts';
import type { MemberOf } from './custom-queries.ts';
import {
  type BareAccount,
  failureOf,
  failureRuleOf,
  findAccount,
  keysWith,
  keyWith,
  mailboxesOf,
  mailRulesOf,
  memberRulesOf,
  ruleGrants,
  searchesOf,
  sharesOf,
  toAccount,
  toInvitation,
  toShare,
} from './nouns.ts';
import { all, count, customQuery, one, type Steps } from './steps.ts';
import type { AnyTable } from './table.ts';
import * as tables from './tables.ts';

type FactReaders = {
  [Name in Exclude<keyof Facts, keyof NewIds>]: (scope: Scope, known: Partial<Facts>) => Steps<Facts[Name]>;
};

const always = new Date(0);

/** Readers of facts for changes, in a transaction that has locked the team and the user. */
export const facts: FactReaders = {
  team: ({ team = 0 }) => one(tables.teams, { id: team }),
  *user({ user: id = 0 }) {
    const row = yield* one(tables.users, { id });
    return row && { ...row, groups: yield* customQuery('groupsOf', id) };
  },
  *member({ team = 0, user = 0 }) {
    const [member] = yield* customQuery('members', { team, user });
    return member === undefined ? null : { grants: member.grants, joinedAt: member.joinedAt };
  },
  *hasOtherOwner({ team = 0, user = 0 }) {
    return (yield* customQuery('owners', [team])).some((owner) => owner.user !== user);
  },
  members: ({ team = 0 }) => customQuery('countMembers', { team }),
  teams: ({ user = 0 }) => customQuery('countMembers', { user }),
  keys: ({ team: owner = 0 }) => count(tables.apiKeys, { owner }),
  rules: ({ team = 0 }) => count(tables.memberRules, { team }),
  invitations: ({ team = 0, now = always }) => count(tables.invitations, { team, expiresAt: { above: now } }),
  *key({ key: id = 0, team: owner }): Steps<ApiKey | null> {
    const row = yield* one(tables.apiKeys, { id, owner });
    return row && (yield* keyWith(row));
  },
  *holdsIdentity({ identity, user = 0 }) {
    return identity !== undefined && (yield* customQuery('holderOf', identity)) === user;
  },
  *sessions({ user: userId = 0, key = null }) {
    const own = yield* all(tables.sessions, { userId }, { order: ['-expiresAt'] });
    return own.filter(({ keyId }) => keyId === key).map(({ hash }) => hash);
  },
  *invitation({ invitation: by = 0, now = always }) {
    const named = typeof by === 'string' ? { hash: by } : { id: by };
    const row = yield* one(tables.invitations, { ...named, expiresAt: { above: now } });
    return row && toInvitation(row);
  },
  *rule({ rule: source }) {
    return source === undefined ? null : yield* one(tables.memberRules, { source });
  },
  surroundings: ({ user = 0 }) => surroundings(user),
  domain: ({ team: owner = 0, domain: by = 0 }) =>
    one(tables.domains, { ...(typeof by === 'string' ? { name: by } : { id: by }), owner }),
  related: ({ team = 0, domain = '' }) => customQuery('related', team, String(domain)),
  *domains({ team = 0, quota }) {
    return quota === undefined ? 0 : yield* customQuery('owned', 'domains', team);
  },
  *accounts({ team = 0, quota }) {
    return quota === undefined ? 0 : yield* customQuery('owned', 'accounts', team);
  },
  account: ({ team = 0, account = 0 }) => findAccount(team, account),
  *ownAccounts({ team: owner = 0, accountIds = [] }) {
    if (accountIds.length === 0) return [];
    return (yield* all(tables.accounts, { owner, id: { in: accountIds } })).map(({ id }) => id);
  },
  *mailboxes({ team: owner = 0, account = 0 }) {
    return (yield* mailboxesOf([account], owner)).get(account) ?? [];
  },
  *rivals({ team: owner = 0, address = '' }, { domain, account }) {
    const domainId = domain?.id ?? account?.domainId ?? 0;
    const taken = yield* one(tables.accounts, { address, domainId });
    const catching = yield* one(tables.accounts, { domainId, catchAll: true });
    const capturing = yield* one(tables.accounts, { owner, capture: true });
    return {
      address: taken?.id ?? null,
      catchAll: catching?.id ?? null,
      capture: capturing && { id: capturing.id, address: capturing.address },
    };
  },
  searches: ({ team = 0 }) => searchesOf(team),
  mailRules: ({ team = 0 }) => mailRulesOf(team),
  *failure({ team = 0, failure: by = 0 }) {
    const row = yield* one(tables.failures, {
      team,
      ...(typeof by === 'number' ? { id: by, key: '' } : { key: by }),
    });
    return row && failureOf(row);
  },
  failures: ({ team = 0, now = always }) => customQuery('countFailures', team, now),
  *share({ share: id = 0, team = 0, now = always }) {
    const row = yield* one(tables.shares, { id, team, expiresAt: { above: now } });
    return row && toShare(row);
  },
  *shares({ team = 0, now = always }) {
    const { live, gone } = yield* sharesOf(team, now);
    return { live: live.length, gone };
  },
};

const idTables: Record<keyof NewIds, AnyTable> = {
  newTeam: tables.teams,
  newKey: tables.apiKeys,
  newInvitation: tables.invitations,
  newRule: tables.memberRules,
  newDomain: tables.domains,
  newAccount: tables.accounts,
  newMailbox: tables.mailboxes,
  newMailboxes: tables.mailboxes,
  newSearch: tables.savedSearches,
  newMailRule: tables.mailRules,
  newFailure: tables.failures,
  newShare: tables.shares,
};

export function* takeNewIds(needs: readonly string[]): Steps<Partial<NewIds>> {
  const taken: Record<string, Id | Id[]> = {};
  for (const [name, table] of Object.entries(idTables)) {
    if (!needs.includes(name)) continue;
    const many = name === 'newMailboxes';
    const ids = yield* customQuery('takeIds', table, many ? systemMailboxes.length : 1);
    taken[name] = many ? ids : (ids[0] ?? 0);
  }
  return taken;
}

/** Reads a change's facts. `fresh` are ids for new rows. */
export function* readFacts(
  needs: readonly (keyof Facts)[],
  scope: Scope,
  fresh: Partial<NewIds>,
): Steps<Facts> {
  const known: Partial<Facts> = { ...fresh };
  for (const name of needs)
    if (isRead(name)) Object.assign(known, { [name]: yield* facts[name](scope, known) });
  return known as Facts;
}

function isRead(name: string): name is keyof FactReaders {
  return name in facts;
}

function* surroundings(user: Id): Steps<Surroundings> {
  const around = [
    ...(yield* customQuery('members', { user })),
    ...(yield* customQuery('members', { team: user })),
  ];
  const rows = new Map(around.map((row) => [`${row.team}/${row.user}`, row]));
  const teamIds = [...new Set(around.map(({ team }) => team))];
  const known = yield* all(tables.teams, { id: { in: teamIds } });
  const people = yield* all(tables.users, { id: { in: around.map((row) => row.user) } });
  const owners = yield* customQuery('owners', teamIds);
  const ownAccounts = yield* all(tables.accounts, { owner: user, passwordHash: { not: null } });
  const keys = [
    ...(yield* all(tables.apiKeys, { owner: user })),
    ...(yield* all(tables.apiKeys, { createdBy: user })),
  ];
  const sent = [
    ...(yield* all(tables.invitations, { team: user })),
    ...(yield* all(tables.invitations, { createdBy: user })),
  ];
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  const byId = new Map(known.map(({ id, name, kind }) => [id, { id, name, kind }]));
  return {
    memberships: [...rows.values()].flatMap(({ team: id, user: member, grants, joinedAt }): Membership[] => {
      const team = byId.get(id);
      const hasOtherOwner = owners.some((owner) => owner.team === id && owner.user !== member);
      const person = { id: member, email: emails.get(member) ?? '' };
      return team === undefined ? [] : [{ user: person, team, grants, joinedAt, hasOtherOwner }];
    }),
    keys: unique(keys).map(({ id, owner: team, name, createdBy }) => ({ id, team, name, createdBy })),
    accounts: ownAccounts.map(({ id, address }) => ({ id, address })),
    invitations: unique(sent).map(({ id, team, createdBy }) => ({ id, team, createdBy })),
  };
}

function unique<Row extends { id: Id }>(rows: Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

type Readers = { [Name in keyof Reads]: (scope: ReadScope) => Steps<Reads[Name]> };

export const byId = { order: ['id'] } satisfies { order: ['id'] };
export const present = { not: null } as const;

const managed = { managedBy: present };

const readers: Readers = {
  *member({ team = 0, user = 0 }) {
    return (yield* withEmails(yield* customQuery('members', { team, user })))[0] ?? null;
  },
  invitation: (scope) => facts.invitation(scope, {}),
  memberRules: ({ rule }) => memberRulesOf(rule),
  ruleGrants,
  domain: (scope) => facts.domain(scope, {}),
  *isFree({ team = 0, domain = '' }) {
    const name = String(domain);
    return (
      (yield* one(tables.domains, { name })) === null && (yield* customQuery('related', team, name)) === null
    );
  },
  searches: ({ team = 0 }) => searchesOf(team),
  mailRules: ({ team = 0 }) => mailRulesOf(team),
  *versionedRules({ team = 0 }) {
    const { rules: version } = yield* customQuery('versions', team);
    return { version, rules: yield* mailRulesOf(team) };
  },
  *versionedFailures({ team = 0 }) {
    const { failures: version } = yield* customQuery('versions', team);
    const rows = version === 0 ? [] : yield* all(tables.failures, { team, key: '' }, byId);
    return { version, rules: rows.map(failureRuleOf) };
  },
  identities: ({ user = 0 }) => customQuery('identitiesOf', user),
  credentials: ({ team = 0 }) => credentialsOf(team),
  managedDomains: () => all(tables.domains, managed),
  *managedAccounts() {
    return (yield* all(tables.accounts, managed)).map(toAccount);
  },
  *managedAccountsWithMailboxes() {
    return yield* withMailboxes((yield* all(tables.accounts, managed)).map(toAccount));
  },
  *managedKeys({ team: owner = 0, manager }) {
    return yield* keysWith(yield* all(tables.apiKeys, { owner, managedBy: manager ?? present }));
  },
  *claims() {
    return new Map((yield* all(tables.claims, {})).map(({ owner, cluster }) => [owner, cluster]));
  },
  orphans: ({ orphan }) =>
    all(tables.orphans, orphan === undefined ? {} : { kind: orphan.kind, id: orphan.id }),
};

export function readNamed(name: keyof Reads, scope: ReadScope): Steps<Reads[keyof Reads]> {
  return readers[name](scope);
}

function* credentialsOf(owner: Id): Steps<Credentials> {
  const rows = yield* all(tables.apiKeys, { owner }, byId);
  const keys = yield* keysWith(rows);
  const own = yield* all(tables.accounts, { owner });
  return {
    apiKeys: rows.flatMap(
      ({ id: _, owner: _o, lastUsedAt: _l, createdBy: by, scope, accountIds: _a, ...key }, index) => {
        // Accounts get other ids when an archive is imported.
        if (scope === 'accounts') return [];
        const createdBy = by === null ? null : (keys[index]?.createdBy?.email ?? '');
        return [{ ...key, scope, createdBy }];
      },
    ),
    passwords: new Map(own.map(({ id, passwordHash }) => [id, passwordHash])),
  };
}

export function* withEmails(rows: MemberOf[]): Steps<Member[]> {
  const found = yield* all(tables.users, { id: { in: rows.map(({ user }) => user) } });
  const emails = new Map(found.map(({ id, email }) => [id, email]));
  return rows.map(({ team: _, user, ...rest }) => ({ userId: user, email: emails.get(user) ?? '', ...rest }));
}

export function* withMailboxes(rows: BareAccount[]): Steps<Account[]> {
  const found = yield* mailboxesOf(rows.map(({ id }) => id));
  return rows.map((account) => ({ ...account, mailboxes: found.get(account.id) ?? [] }));
}
