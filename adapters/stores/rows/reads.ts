import type { Account } from '#core/accounts/account.ts';
import type { Credentials } from '#core/archive/archive.ts';
import type { Id } from '#core/ids.ts';
import type { ReadScope, Reads } from '#core/reads.ts';
import type { Member } from '#core/teams/team.ts';
import { facts } from './facts.ts';
import type { MemberOf } from './hands.ts';
import { memberRulesOf, ruleGrants } from './member-rules.ts';
import {
  type BareAccount,
  failureRuleOf,
  keysWith,
  mailboxesOf,
  mailRulesOf,
  searchesOf,
  toAccount,
} from './nouns.ts';
import { all, hand, one, type Steps } from './steps.ts';
import { accounts, apiKeys, claims, domains, failures, orphans, users } from './tables.ts';

type Readers = { [Name in keyof Reads]: (scope: ReadScope) => Steps<Reads[Name]> };

export const byId = { order: ['id'] } satisfies { order: ['id'] };
export const present = { not: null } as const;

const managed = { managedBy: present };

const readers: Readers = {
  *member({ team = 0, user = 0 }) {
    return (yield* withEmails(yield* hand('members', { team, user })))[0] ?? null;
  },
  invitation: (scope) => facts.invitation(scope, {}),
  memberRules: ({ rule }) => memberRulesOf(rule),
  ruleGrants,
  domain: (scope) => facts.domain(scope, {}),
  *isFree({ team = 0, domain = '' }) {
    const name = String(domain);
    return (yield* one(domains, { name })) === null && (yield* hand('related', team, name)) === null;
  },
  searches: ({ team = 0 }) => searchesOf(team),
  mailRules: ({ team = 0 }) => mailRulesOf(team),
  *versionedRules({ team = 0 }) {
    const { rules: version } = yield* hand('versions', team);
    return { version, rules: yield* mailRulesOf(team) };
  },
  *versionedFailures({ team = 0 }) {
    const { failures: version } = yield* hand('versions', team);
    const rows = version === 0 ? [] : yield* all(failures, { team, key: '' }, byId);
    return { version, rules: rows.map(failureRuleOf) };
  },
  identities: ({ user = 0 }) => hand('identitiesOf', user),
  credentials: ({ team = 0 }) => credentialsOf(team),
  managedDomains: () => all(domains, managed),
  *managedAccounts() {
    return (yield* all(accounts, managed)).map(toAccount);
  },
  *managedAccountsWithMailboxes() {
    return yield* withMailboxes((yield* all(accounts, managed)).map(toAccount));
  },
  *managedKeys({ team: owner = 0, manager }) {
    return yield* keysWith(yield* all(apiKeys, { owner, managedBy: manager ?? present }));
  },
  *claims() {
    return new Map((yield* all(claims, {})).map(({ owner, cluster }) => [owner, cluster]));
  },
  orphans: ({ orphan }) => all(orphans, orphan === undefined ? {} : { kind: orphan.kind, id: orphan.id }),
};

/** Reads the value with a name. */
export function readNamed(name: keyof Reads, scope: ReadScope): Steps<Reads[keyof Reads]> {
  return readers[name](scope);
}

function* credentialsOf(owner: Id): Steps<Credentials> {
  const rows = yield* all(apiKeys, { owner }, byId);
  const keys = yield* keysWith(rows);
  const own = yield* all(accounts, { owner });
  return {
    apiKeys: rows.flatMap(
      ({ id: _, owner: _o, lastUsedAt: _l, createdBy: by, scope, accountIds: _a, ...key }, index) => {
        // Accounts get other ids where an archive is imported.
        if (scope === 'accounts') return [];
        const createdBy = by === null ? null : (keys[index]?.createdBy?.email ?? '');
        return [{ ...key, scope, createdBy }];
      },
    ),
    passwords: new Map(own.map(({ id, passwordHash }) => [id, passwordHash])),
  };
}

export function* withEmails(rows: MemberOf[]): Steps<Member[]> {
  const found = yield* all(users, { id: { in: rows.map(({ user }) => user) } });
  const emails = new Map(found.map(({ id, email }) => [id, email]));
  return rows.map(({ team: _, user, ...rest }) => ({ userId: user, email: emails.get(user) ?? '', ...rest }));
}

export function* withMailboxes(rows: BareAccount[]): Steps<Account[]> {
  const found = yield* mailboxesOf(rows.map(({ id }) => id));
  return rows.map((account) => ({ ...account, mailboxes: found.get(account.id) ?? [] }));
}
