import { isTrimmedAt } from '#adapters/stores/audit-trim.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { pageOf } from '#adapters/stores/mongo/pages.ts';
import { notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import {
  type AuditStore,
  type EntryKind,
  kindsOf,
  type NewEntry,
  type PlainEntry,
  planEntries,
} from '#core/teams/audit-log.ts';

const onlyId = { projection: { _id: 1 } } as const;

export function createAuditLog({ collections: { auditLog, teams }, ids }: Context): AuditStore {
  /** Removes the entries of a team and actor beyond their newest `most`. */
  const trim = async (team: Id, actor: string, most: number): Promise<void> => {
    const [first] = await auditLog
      .find({ team, actor })
      .sort({ at: -1, _id: -1 })
      .skip(most)
      .limit(1)
      .toArray();
    if (first !== undefined) await auditLog.deleteMany({ team, actor, at: { $lte: first.at } });
  };
  /** Condition for the entries of a kind, one by one or counting others. */
  const ofKind = ({ since, until, ...kind }: EntryKind, counting: boolean) => ({
    ...kind,
    more: { $exists: counting },
    at: { $gte: since, $lt: until },
  });
  /** Plans entries, and counts those that are to be counted in an entry that is there. Returns the ones to be written. */
  const toWrite = async (
    entries: NewEntry[],
    mostAnHour: number,
  ): Promise<(PlainEntry & { more?: number })[]> => {
    const rows: (PlainEntry & { more?: number })[] = [];
    for (const { kind, entries: own } of kindsOf(entries)) {
      const known = await auditLog.countDocuments(ofKind(kind, false), { limit: mostAnHour });
      const { written, counted } = planEntries(kind, own, known, mostAnHour);
      for (const one of written) rows.push(one);
      if (counted === null) continue;
      const { more } = counted;
      const { matchedCount } = await auditLog.updateOne(ofKind(kind, true), { $inc: { more } });
      if (matchedCount === 0) rows.push(counted);
    }
    return rows;
  };
  return {
    async record(given, { most, mostAnHour }) {
      const entries = await toWrite(given, mostAnHour);
      const taken = await ids.take('auditLog', entries.length);
      const rows = entries.map((entry, index) => ({ _id: taken[index] ?? 0, ...entry }));
      if (rows.length === 0) return;
      await auditLog.insertMany(rows);
      // Checks the teams after the write, so that no entry comes behind the removal of its team and stays.
      const wanted = [...new Set(entries.map(({ team }) => team))];
      const known = await teams.find({ _id: { $in: wanted }, ...notDeleted }, onlyId).toArray();
      const found = new Set(known.map(({ _id }) => _id));
      const vain = rows.filter(({ team }) => !found.has(team)).map(({ _id }) => _id);
      if (vain.length > 0) await auditLog.deleteMany({ _id: { $in: vain } });
      for (const { _id, team, actor } of rows) if (isTrimmedAt(_id)) await trim(team, actor, most);
    },
    list: (team, page) =>
      pageOf(auditLog, { team }, page, (rows) => rows.map(({ _id: id, ...entry }) => ({ id, ...entry })), {
        sort: { at: -1, _id: -1 },
      }),
  };
}
