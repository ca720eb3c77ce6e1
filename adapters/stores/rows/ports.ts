import type { ApiKeyStore, SessionStore, UserRecord, UserStore } from '#core/access/access.ts';
import type { Account, AccountStore } from '#core/accounts/account.ts';
import type { ArchiveStore } from '#core/archive/archive.ts';
import type { DomainStore } from '#core/domains/domain.ts';
import type { FailureStore } from '#core/failures/failure.ts';
import type { MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { ManagerStore } from '#core/managers/manager.ts';
import type { RefusalStore } from '#core/refusals/refusal.ts';
import type { MailRuleStore } from '#core/rules/mail-rule.ts';
import type { SavedSearchStore } from '#core/search/saved-search.ts';
import type { ShareStore } from '#core/shares/share.ts';
import type { AuditEntry, AuditStore } from '#core/teams/audit-log.ts';
import type { InvitationStore } from '#core/teams/invitations.ts';
import type { MemberRuleStore } from '#core/teams/member-rules.ts';
import type { Member, TeamStore } from '#core/teams/team.ts';
import type { MemberOf } from './hands.ts';
import { memberRuleReads } from './member-rules.ts';
import {
  type BareAccount,
  failureOf,
  failureRuleOf,
  keysWith,
  mailboxesOf,
  mailRulesOf,
  ofAccount,
  searchesOf,
  toAccount,
  toInvitation,
  toShare,
} from './nouns.ts';
import { all, hand, type InSteps, one, pageOf, type Steps } from './steps.ts';
import {
  type AuditRow,
  accounts,
  apiKeys,
  auditLog,
  claims,
  domains,
  failures,
  invitations,
  mailboxes,
  orphans,
  refusals,
  shares,
  teams,
  type UserRow,
  users,
} from './tables.ts';

/** Ports of small nouns, by what reads and what writes. What requests need most is written by hand for each store. */
export type SmallPorts = {
  reads: {
    users: UserStore;
    apiKeys: Pick<ApiKeyStore, 'list' | 'listManaged'>;
    teams: Omit<TeamStore, 'roleOf'>;
    invitations: InvitationStore;
    memberRules: MemberRuleStore;
    domains: Omit<DomainStore, 'writeVerdict'>;
    accounts: Omit<AccountStore, 'markFull'>;
    mailboxes: MailboxStore;
    savedSearches: SavedSearchStore;
    mailRules: MailRuleStore;
    failures: FailureStore;
    shares: ShareStore;
    auditLog: Pick<AuditStore, 'list'>;
    refusals: Pick<RefusalStore, 'list'>;
    managers: Pick<ManagerStore, 'claims' | 'orphans'>;
    archive: Pick<ArchiveStore, 'identities' | 'credentials'>;
  };
  writes: {
    apiKeys: Pick<ApiKeyStore, 'touch'>;
    sessions: Omit<SessionStore, 'find'>;
    domains: Pick<DomainStore, 'writeVerdict'>;
    accounts: Pick<AccountStore, 'markFull'>;
    auditLog: Pick<AuditStore, 'record'>;
    refusals: Pick<RefusalStore, 'add'>;
    managers: Pick<ManagerStore, 'claim' | 'markOrphan'>;
  };
};

export type Stepped<Ports> = { [Noun in keyof Ports]: InSteps<Ports[Noun]> };

const byId = { order: ['id'] } satisfies { order: ['id'] };
const newestFirst = { order: ['-at', '-id'] } satisfies { order: ['-at', '-id'] };
const same = <Row>(row: Row) => row;
const sharedHint = { sqlite: 'team_shared', mongo: { deleted: 1, kind: 1, _id: 1 } } as const;
const fullHint = { sqlite: 'account_full', mongo: { owner: 1, fullAt: 1 } } as const;
/** Order of the audit log by the index that each store has. */
export const latest = { sqlite: ['-id' as const], mongo: ['-at' as const, '-id' as const] };
export const present = { not: null } as const;

export const smallReads: Stepped<SmallPorts['reads']> = {
  users: {
    *find(by) {
      const id = 'email' in by ? null : yield* hand('holderOf', by.identity);
      const row = yield* one(users, 'email' in by ? by : { id: id ?? 0 });
      return row && recordOf(row);
    },
    list: (page) => pageOf(users, {}, page, byId, recordOf),
  },
  apiKeys: {
    *list(owner, page) {
      const { items, total } = yield* pageOf(apiKeys, { owner }, page, { order: ['-id'] }, same);
      return { items: yield* keysWith(items), total };
    },
    *listManaged(owner, managedBy) {
      return yield* keysWith(yield* all(apiKeys, { owner, managedBy: managedBy ?? present }));
    },
  },
  teams: {
    find: (by) => one(teams, typeof by === 'number' ? { id: by } : { name: by.managed, kind: 'managed' }),
    list: (page, wanted) =>
      wanted?.personal
        ? pageOf(teams, {}, page, byId, same)
        : pageOf(teams, { kind: { not: 'personal' } }, page, { ...byId, hint: sharedHint }, same),
    *listOf(user, page) {
      const rows = yield* hand('members', { user }, page);
      const found = yield* all(teams, { id: { in: rows.map(({ team }) => team) } });
      const known = new Map(found.map((team) => [team.id, team]));
      const items = rows.flatMap(({ team: id, role, grants }) => {
        const team = known.get(id);
        return team === undefined ? [] : [{ ...team, role, grants }];
      });
      return { items, total: yield* hand('countMembers', { user }) };
    },
    *members(team, page) {
      const items = yield* withEmails(yield* hand('members', { team }, page));
      return { items, total: yield* hand('countMembers', { team }) };
    },
    *findMember(team, user) {
      return (yield* withEmails(yield* hand('members', { team, user })))[0] ?? null;
    },
  },
  invitations: {
    list: (team, now, page) =>
      pageOf(invitations, { team, expiresAt: { above: now } }, page, { order: ['-id'] }, toInvitation),
    *find(hash, now) {
      const row = yield* one(invitations, { hash, expiresAt: { above: now } });
      const team = row && (yield* one(teams, { id: row.team }));
      return row && team && { invitation: toInvitation(row), team };
    },
  },
  memberRules: memberRuleReads,
  domains: {
    list: (owner, filter, page) => pageOf(domains, { owner, ...filter }, page, byId, same),
    listManaged: () => all(domains, { managedBy: present }),
    find: (owner, by) => one(domains, { ...(typeof by === 'string' ? { name: by } : { id: by }), owner }),
    *isFree(owner, name) {
      return (yield* one(domains, { name })) === null && (yield* hand('related', owner, name)) === null;
    },
    dueForCheck(now, limit, except = []) {
      const due = { 'verification.nextCheckAt': { upTo: now }, owner: { notIn: except } };
      return all(domains, due, { order: ['verification.nextCheckAt'], limit });
    },
  },
  accounts: {
    *list(owner, { ids, domainId, address, active }, page) {
      const wanted = { owner, id: ids && { in: ids }, domainId, address, active };
      // An address has one account.
      const order: ('id' | 'domainId')[] = [address === undefined ? 'id' : 'domainId'];
      const { items, total } = yield* pageOf(accounts, wanted, page, { order }, toAccount);
      return { items: yield* withMailboxes(items), total };
    },
    listFull(owner, page) {
      const wanted = { ...(owner !== null && { owner }), fullAt: present };
      const order: ('owner' | 'fullAt')[] = ['owner', 'fullAt'];
      return pageOf(accounts, wanted, page, { order, hint: fullHint }, ({ id, address }) => ({
        id,
        address,
      }));
    },
    *listManaged(wanted) {
      const found = (yield* all(accounts, { managedBy: present })).map(toAccount);
      return wanted ? yield* withMailboxes(found) : found.map((one) => ({ ...one, mailboxes: [] }));
    },
    *find(owner, id) {
      const row = yield* one(accounts, { id, owner });
      return row && ((yield* withMailboxes([toAccount(row)]))[0] ?? null);
    },
    *findCapture(owner) {
      return (yield* one(accounts, { owner, capture: true }))?.address ?? null;
    },
  },
  mailboxes: {
    *list(owner, accountId, page) {
      if ((yield* one(accounts, { id: accountId, owner })) === null) return null;
      return yield* pageOf(mailboxes, { accountId }, page, { ...byId, ...ofAccount }, same);
    },
    find: (owner, accountId, id) => one(mailboxes, { id, accountId, owner }),
  },
  savedSearches: { list: searchesOf },
  mailRules: {
    *read(team) {
      const { rules: version } = yield* hand('versions', team);
      return { version, rules: yield* mailRulesOf(team) };
    },
  },
  failures: {
    *read(team) {
      const { failures: version } = yield* hand('versions', team);
      const rows = version === 0 ? [] : yield* all(failures, { team, key: '' }, byId);
      return { version, rules: rows.map(failureRuleOf) };
    },
    list: (team, { now, id }, page) =>
      pageOf(failures, { team, key: '', id, expiresAt: { above: now } }, page, byId, failureOf),
  },
  shares: {
    *list(where, now, page) {
      const wanted = { ...where, expiresAt: { above: now } };
      const { items, total } = yield* pageOf(shares, wanted, page, { order: ['-id'] }, toShare);
      const found = yield* all(users, { id: { in: items.flatMap(({ createdBy }) => createdBy ?? []) } });
      const emails = new Map(found.map(({ id, email }) => [id, email]));
      return {
        items: items.map((share) => ({ ...share, creator: emails.get(share.createdBy ?? 0) ?? null })),
        total,
      };
    },
  },
  auditLog: { list: (team, page) => pageOf(auditLog, { team }, page, { order: latest }, toEntry) },
  refusals: {
    list: (team, after, page, id) =>
      pageOf(refusals, { team, at: { above: after }, id }, page, newestFirst, ({ facts, ...row }) => ({
        ...facts,
        ...row,
      })),
  },
  managers: {
    *claims() {
      return new Map((yield* all(claims, {})).map(({ owner, cluster }) => [owner, cluster]));
    },
    orphans: (of) => all(orphans, of === undefined ? {} : { kind: of.kind, id: of.id }),
  },
  archive: {
    identities: (user) => hand('identitiesOf', user),
    *credentials(owner) {
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
    },
  },
};

function recordOf({ id, email, createdAt, ...rest }: UserRow): UserRecord {
  return { user: { id, email, createdAt }, ...rest };
}

function* withEmails(rows: MemberOf[]): Steps<Member[]> {
  const found = yield* all(users, { id: { in: rows.map(({ user }) => user) } });
  const emails = new Map(found.map(({ id, email }) => [id, email]));
  return rows.map(({ team: _, user, ...rest }) => ({ userId: user, email: emails.get(user) ?? '', ...rest }));
}

function* withMailboxes(rows: BareAccount[]): Steps<Account[]> {
  const found = yield* mailboxesOf(rows.map(({ id }) => id));
  return rows.map((account) => ({ ...account, mailboxes: found.get(account.id) ?? [] }));
}

function toEntry({ more, ...entry }: AuditRow): AuditEntry {
  return { ...entry, ...(more !== null && { more }) };
}
