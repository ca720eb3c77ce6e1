import { isTrimmedAt } from '#adapters/stores/audit-trim.ts';
import type { Id } from '#core/ids.ts';
import { kindsOf, type PlainEntry, planEntries } from '#core/teams/audit-log.ts';
import { latest, type SmallPorts, type Stepped } from './ports.ts';
import { present } from './reads.ts';
import { all, count, hand, insert, one, put, remove, type Steps, set } from './steps.ts';
import {
  type AuditRow,
  accounts,
  apiKeys,
  auditLog,
  claims,
  domains,
  orphans,
  refusals,
  sessions,
  teams,
} from './tables.ts';

export const smallWrites: Stepped<SmallPorts['writes']> = {
  apiKeys: {
    *touch(id, lastUsedAt) {
      yield* set(apiKeys, { id }, { lastUsedAt });
    },
  },
  sessions: {
    *extend(hash, expiresAt) {
      yield* set(sessions, { hash }, { expiresAt });
    },
    remove: (hash) => remove(sessions, { hash }),
  },
  domains: {
    // Leaves domains alone whose team declared them verified: they have no next check.
    *writeVerdict(id, readCheckedAt, verification) {
      const unchanged = { 'verification.checkedAt': readCheckedAt, 'verification.nextCheckAt': present };
      return (yield* set(domains, { id, ...unchanged }, { verification })) === 1;
    },
  },
  accounts: {
    *markFull(owner, id, fullAt) {
      yield* set(accounts, { id, owner, fullAt: null }, { fullAt });
    },
  },
  auditLog: {
    *record(entries, { most, mostAnHour }) {
      const rows: (PlainEntry & { more: number | null })[] = [];
      for (const { kind, entries: own } of kindsOf(entries)) {
        const { since, until, ...rest } = kind;
        const ofKind = { ...rest, at: { from: since, before: until } };
        const earlier = yield* count(auditLog, { ...ofKind, more: null });
        const { written, counted } = planEntries(kind, own, earlier, mostAnHour);
        for (const entry of written) rows.push({ ...entry, more: null });
        if (counted === null) continue;
        const known = yield* set(auditLog, { ...ofKind, more: present }, {}, { more: counted.more });
        if (known === 0) rows.push(counted);
      }
      yield* writeEntries(rows, most);
    },
  },
  refusals: {
    *add(given, most) {
      const found = yield* existing(given.map(({ team }) => team));
      const kept = given.filter(({ team }) => found.has(team));
      const ids = yield* hand('takeIds', refusals, kept.length);
      const rows = kept.map(({ team, at, ...facts }, index) => ({ id: ids[index] ?? 0, team, at, facts }));
      yield* insert(refusals, ...rows);
      for (const team of found) {
        if ((yield* count(refusals, { team })) > most) yield* hand('trimRefusals', team, most);
      }
    },
  },
  managers: {
    *claim(owner, cluster) {
      yield* put(claims, { owner, cluster }, ['cluster']);
      return (yield* one(claims, { owner }))?.cluster ?? cluster;
    },
    markOrphan: ({ owner, kind, id }, since) =>
      since === null
        ? remove(orphans, { kind, id })
        : put(orphans, { owner, kind, id, since }, ['owner', 'since']),
  },
};

/** Returns those of some teams that exist. */
function* existing(ids: Id[]): Steps<Set<Id>> {
  const found = yield* all(teams, { id: { in: [...new Set(ids)] } });
  return new Set(found.map(({ id }) => id));
}

function* writeEntries(entries: Omit<AuditRow, 'id'>[], most: number): Steps<void> {
  const ids = yield* hand('takeIds', auditLog, entries.length);
  const rows = entries.map((entry, index) => ({ id: ids[index] ?? 0, ...entry }));
  yield* insert(auditLog, ...rows);
  // Checks the teams after the write, so that no entry comes behind the removal of its team and stays.
  const found = yield* existing(rows.map(({ team }) => team));
  const vain = rows.filter(({ team }) => !found.has(team)).map(({ id }) => id);
  if (vain.length > 0) yield* remove(auditLog, { id: { in: vain } });
  for (const { id, team, actor } of rows) {
    if (!isTrimmedAt(id)) continue;
    const old = yield* all(auditLog, { team, actor }, { order: latest, offset: most, limit: 1000 });
    if (old.length > 0) yield* remove(auditLog, { id: { in: old.map((one) => one.id) } });
  }
}
