import type { Context } from '#core/adapters/stores/mongo/context.ts';
import { notDeleted } from '#core/adapters/stores/mongo/schema/rows.ts';
import { offsetOf } from '#core/page.ts';
import type { AuditStore } from '#core/teams/audit-log.ts';

const onlyId = { projection: { _id: 1 } } as const;

export function createAuditLog({ collections: { auditLog, teams }, ids }: Context): AuditStore {
  const removeSome = async (condition: object, limit: number): Promise<number> => {
    const rows = await auditLog.find(condition, onlyId).limit(limit).toArray();
    if (rows.length === 0) return 0;
    return (await auditLog.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })).deletedCount;
  };
  return {
    async record(entries) {
      const taken = await ids.take('auditLog', entries.length);
      const rows = entries.map((entry, index) => ({ _id: taken[index] ?? 0, ...entry }));
      if (rows.length === 0) return;
      await auditLog.insertMany(rows);
      // Checks the teams after the write, so that no entry comes behind the removal of its team and stays.
      const wanted = [...new Set(entries.map(({ team }) => team))];
      const known = await teams.find({ _id: { $in: wanted }, ...notDeleted }, onlyId).toArray();
      if (known.length === wanted.length) return;
      const found = new Set(known.map(({ _id }) => _id));
      const vain = rows.filter(({ team }) => !found.has(team)).map(({ _id }) => _id);
      await auditLog.deleteMany({ _id: { $in: vain } });
    },
    async list(team, page) {
      const rows = auditLog.find({ team }).sort({ at: -1, _id: -1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), auditLog.countDocuments({ team })]);
      return { items: items.map(({ _id: id, ...entry }) => ({ id, ...entry })), total };
    },
    async prune(before, most, limit) {
      let removed = await removeSome({ at: { $lt: before } }, limit);
      const full = await auditLog
        .aggregate<{ _id: number }>([
          { $group: { _id: '$team', total: { $sum: 1 } } },
          { $match: { total: { $gt: most } } },
        ])
        .toArray();
      for (const { _id: team } of full) {
        const [first] = await auditLog.find({ team }, onlyId).sort({ _id: -1 }).skip(most).limit(1).toArray();
        if (first !== undefined) removed += await removeSome({ team, _id: { $lte: first._id } }, limit);
      }
      return removed;
    },
  };
}
