import type { ApiKeyStore, SessionStore, UserRecord, UserStore } from '#core/access/access.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { RowReader } from '#core/change.ts';
import type { DomainStore } from '#core/domains/domain.ts';
import type { FailureStore } from '#core/failures/failure.ts';
import type { MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { ManagerStore } from '#core/managers/manager.ts';
import type { RefusalStore } from '#core/refusals/refusal.ts';
import type { ShareStore } from '#core/shares/share.ts';
import type { AuditEntry, AuditStore } from '#core/teams/audit-log.ts';
import type { InvitationStore } from '#core/teams/invitations.ts';
import type { TeamStore } from '#core/teams/team.ts';
import { failureOf, keysWith, ofAccount, toAccount, toInvitation, toShare } from './nouns.ts';
import { byId, present, readNamed, withEmails, withMailboxes } from './reads.ts';
import { all, hand, type InSteps, one, pageOf } from './steps.ts';
import {
  type AuditRow,
  accounts,
  apiKeys,
  auditLog,
  domains,
  failures,
  invitations,
  mailboxes,
  refusals,
  shares,
  teams,
  type UserRow,
  users,
} from './tables.ts';

/** Ports of small nouns, by what reads and what writes. What requests need most is written by hand for each store. */
export type SmallPorts = {
  reads: {
    rows: RowReader;
    users: UserStore;
    apiKeys: Pick<ApiKeyStore, 'list'>;
    teams: Omit<TeamStore, 'roleOf'>;
    invitations: InvitationStore;
    domains: Omit<DomainStore, 'writeVerdict'>;
    accounts: Omit<AccountStore, 'markFull'>;
    mailboxes: MailboxStore;
    failures: FailureStore;
    shares: ShareStore;
    auditLog: Pick<AuditStore, 'list'>;
    refusals: Pick<RefusalStore, 'list'>;
  };
  writes: {
    apiKeys: Pick<ApiKeyStore, 'touch'>;
    sessions: Omit<SessionStore, 'find'>;
    domains: Pick<DomainStore, 'writeVerdict'>;
    accounts: Pick<AccountStore, 'markFull'>;
    auditLog: Pick<AuditStore, 'record'>;
    refusals: Pick<RefusalStore, 'add'>;
    managers: ManagerStore;
  };
};

export type Stepped<Ports> = { [Noun in keyof Ports]: InSteps<Ports[Noun]> };

const newestFirst = { order: ['-at', '-id'] } satisfies { order: ['-at', '-id'] };
const same = <Row>(row: Row) => row;
const sharedHint = { sqlite: 'team_shared', mongo: { deleted: 1, kind: 1, _id: 1 } } as const;
const fullHint = { sqlite: 'account_full', mongo: { owner: 1, fullAt: 1 } } as const;
/** Order of the audit log by the index that each store has. */
export const latest = { sqlite: ['-id' as const], mongo: ['-at' as const, '-id' as const] };

export const smallReads: Stepped<SmallPorts['reads']> = {
  rows: { read: readNamed },
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
  },
  invitations: {
    list: (team, now, page) =>
      pageOf(invitations, { team, expiresAt: { above: now } }, page, { order: ['-id'] }, toInvitation),
  },
  domains: {
    list: (owner, filter, page) => pageOf(domains, { owner, ...filter }, page, byId, same),
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
  failures: {
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
};

function recordOf({ id, email, createdAt, ...rest }: UserRow): UserRecord {
  return { user: { id, email, createdAt }, ...rest };
}

function toEntry({ more, ...entry }: AuditRow): AuditEntry {
  return { ...entry, ...(more !== null && { more }) };
}
