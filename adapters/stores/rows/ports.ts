import type { ApiKeyStore, SessionStore, UserStore } from '#core/access/access.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { RowStore } from '#core/change.ts';
import type { DomainStore } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { ManagerStore } from '#core/managers/manager.ts';
import type { RefusalStore } from '#core/refusals/refusal.ts';
import { type AuditStore, kindsOf, type PlainEntry, planEntries } from '#core/teams/audit-log.ts';
import type { TeamStore } from '#core/teams/team.ts';
import { byId, present, readNamed, withMailboxes } from './facts.ts';
import { latest, listNamed, recordOf } from './lists.ts';
import { ofAccount, same, toAccount } from './nouns.ts';
import {
  all,
  count,
  customQuery,
  type InSteps,
  insert,
  one,
  pageOf,
  put,
  remove,
  type Steps,
  set,
} from './steps.ts';
import type { AuditRow } from './tables.ts';
import * as tables from './tables.ts';

/** Ports of small nouns, split into reads and writes. The ports that requests use most are handwritten for each store. */
export type SmallPorts = {
  reads: {
    rows: Omit<RowStore, 'change'>;
    users: UserStore;
    teams: Omit<TeamStore, 'roleOf'>;
    domains: Omit<DomainStore, 'writeVerdict'>;
    accounts: Omit<AccountStore, 'markFull'>;
    mailboxes: MailboxStore;
  };
  writes: {
    apiKeys: Pick<ApiKeyStore, 'touch'>;
    sessions: Omit<SessionStore, 'find'>;
    domains: Pick<DomainStore, 'writeVerdict'>;
    accounts: Pick<AccountStore, 'markFull'>;
    auditLog: AuditStore;
    refusals: RefusalStore;
    managers: ManagerStore;
  };
};

export type Stepped<Ports> = { [Noun in keyof Ports]: InSteps<Ports[Noun]> };

export const smallReads: Stepped<SmallPorts['reads']> = {
  rows: { read: readNamed, list: listNamed },
  users: {
    *find(by) {
      const id = 'email' in by ? null : yield* customQuery('holderOf', by.identity);
      const row = yield* one(tables.users, 'email' in by ? by : { id: id ?? 0 });
      return row && recordOf(row);
    },
  },
  teams: {
    find: (by) =>
      one(tables.teams, typeof by === 'number' ? { id: by } : { name: by.managed, kind: 'managed' }),
  },
  domains: {
    dueForCheck(now, limit, except = []) {
      const due = { 'verification.nextCheckAt': { upTo: now }, owner: { notIn: except } };
      return all(tables.domains, due, { order: ['verification.nextCheckAt'], limit });
    },
  },
  accounts: {
    *list(owner, { ids, domainId, address, active }, page) {
      const wanted = { owner, id: ids && { in: ids }, domainId, address, active };
      // At most one account has a given address, so the order may be that of the index.
      const order: ('id' | 'domainId')[] = [address === undefined ? 'id' : 'domainId'];
      const { items, total } = yield* pageOf(tables.accounts, wanted, page, { order }, toAccount);
      return { items: yield* withMailboxes(items), total };
    },
    *find(owner, id) {
      const row = yield* one(tables.accounts, { id, owner });
      return row && ((yield* withMailboxes([toAccount(row)]))[0] ?? null);
    },
    *findCapture(owner) {
      return (yield* one(tables.accounts, { owner, capture: true }))?.address ?? null;
    },
  },
  mailboxes: {
    *list(owner, accountId, page) {
      if ((yield* one(tables.accounts, { id: accountId, owner })) === null) return null;
      return yield* pageOf(tables.mailboxes, { accountId }, page, { ...byId, ...ofAccount }, same);
    },
    find: (owner, accountId, id) => one(tables.mailboxes, { id, accountId, owner }),
  },
};

/** Number of audit log entries after which an entry trims the log of its team and its actor. */
export const trimEvery = 100;

/** Checks whether the entry with this id trims the log of its team and its actor. */
const isTrimmedAt = (id: number): boolean => id % trimEvery === 0;

export const smallWrites: Stepped<SmallPorts['writes']> = {
  apiKeys: {
    *touch(id, lastUsedAt) {
      yield* set(tables.apiKeys, { id }, { lastUsedAt });
    },
  },
  sessions: {
    *extend(hash, expiresAt) {
      yield* set(tables.sessions, { hash }, { expiresAt });
    },
    remove: (hash) => remove(tables.sessions, { hash }),
  },
  domains: {
    // Skips domains that their team declared verified, because they have no next check.
    *writeVerdict(id, readCheckedAt, verification) {
      const unchanged = { 'verification.checkedAt': readCheckedAt, 'verification.nextCheckAt': present };
      return (yield* set(tables.domains, { id, ...unchanged }, { verification })) === 1;
    },
  },
  accounts: {
    *markFull(owner, id, fullAt) {
      yield* set(tables.accounts, { id, owner, fullAt: null }, { fullAt });
    },
  },
  auditLog: {
    *record(entries, { most, mostAnHour }) {
      const rows: (PlainEntry & { more: number | null })[] = [];
      for (const { kind, entries: own } of kindsOf(entries)) {
        const { since, until, ...rest } = kind;
        const ofKind = { ...rest, at: { from: since, before: until } };
        const earlier = yield* count(tables.auditLog, { ...ofKind, more: null });
        const { written, counted } = planEntries(kind, own, earlier, mostAnHour);
        for (const entry of written) rows.push({ ...entry, more: null });
        if (counted === null) continue;
        const known = yield* set(tables.auditLog, { ...ofKind, more: present }, {}, { more: counted.more });
        if (known === 0) rows.push(counted);
      }
      yield* writeEntries(rows, most);
    },
  },
  refusals: {
    *add(given, most) {
      const found = yield* existing(given.map(({ team }) => team));
      const kept = given.filter(({ team }) => found.has(team));
      const ids = yield* customQuery('takeIds', tables.refusals, kept.length);
      const rows = kept.map(({ team, at, ...facts }, index) => ({ id: ids[index] ?? 0, team, at, facts }));
      yield* insert(tables.refusals, ...rows);
      for (const team of found) {
        if ((yield* count(tables.refusals, { team })) > most) yield* customQuery('trimRefusals', team, most);
      }
    },
  },
  managers: {
    *claim(owner, cluster) {
      yield* put(tables.claims, { owner, cluster }, ['cluster']);
      return (yield* one(tables.claims, { owner }))?.cluster ?? cluster;
    },
    markOrphan: ({ owner, kind, id }, since) =>
      since === null
        ? remove(tables.orphans, { kind, id })
        : put(tables.orphans, { owner, kind, id, since }, ['owner', 'since']),
  },
};

function* existing(ids: Id[]): Steps<Set<Id>> {
  const found = yield* all(tables.teams, { id: { in: [...new Set(ids)] } });
  return new Set(found.map(({ id }) => id));
}

function* writeEntries(entries: Omit<AuditRow, 'id'>[], most: number): Steps<void> {
  const ids = yield* customQuery('takeIds', tables.auditLog, entries.length);
  const rows = entries.map((entry, index) => ({ id: ids[index] ?? 0, ...entry }));
  yield* insert(tables.auditLog, ...rows);
  // Checks the teams after the write, so no entry that is written after its team's removal stays.
  const found = yield* existing(rows.map(({ team }) => team));
  const vain = rows.filter(({ team }) => !found.has(team)).map(({ id }) => id);
  if (vain.length > 0) yield* remove(tables.auditLog, { id: { in: vain } });
  for (const { id, team, actor } of rows) {
    if (!isTrimmedAt(id)) continue;
    const old = yield* all(tables.auditLog, { team, actor }, { order: latest, offset: most, limit: 1000 });
    if (old.length > 0) yield* remove(tables.auditLog, { id: { in: old.map((one) => one.id) } });
  }
}
