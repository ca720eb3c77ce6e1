import type { Context } from '#core/adapters/stores/mongo/context.ts';
import { notDeleted } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { offsetOf } from '#core/page.ts';
import { type AuditStore, trimEvery } from '#core/teams/audit-log.ts';

const onlyId = { projection: { _id: 1 } } as const;

export function createAuditLog({ collections: { auditLog, teams }, ids }: Context): AuditStore {
  /** Removes the entries of a team beyond its newest `most`. */
  const trim = async (team: Id, most: number): Promise<void> => {
    const [first] = await auditLog.find({ team }).sort({ at: -1, _id: -1 }).skip(most).limit(1).toArray();
    if (first !== undefined) await auditLog.deleteMany({ team, at: { $lte: first.at } });
  };
  return {
    async record(entries, most) {
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
      for (const { _id, team } of rows) if (_id % trimEvery === 0) await trim(team, most);
    },
    async list(team, page) {
      const rows = auditLog.find({ team }).sort({ at: -1, _id: -1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), auditLog.countDocuments({ team })]);
      return { items: items.map(({ _id: id, ...entry }) => ({ id, ...entry })), total };
    },
    async prune(before, limit) {
      const old = { at: { $lt: before } };
      const rows = await auditLog.find(old, onlyId).limit(limit).toArray();
      if (rows.length === 0) return 0;
      return (await auditLog.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })).deletedCount;
    },
  };
}
