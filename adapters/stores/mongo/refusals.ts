import type { RefusalStore } from '#core/refusals/refusal.ts';
import type { Context } from './context.ts';
import { pageOf } from './pages.ts';
import { notDeleted } from './schema/rows.ts';

const newestFirst = { at: -1, _id: -1 } as const;
const onlyId = { projection: { _id: 1 } } as const;

export function createRefusals({ collections: { refusals, teams }, ids }: Context): RefusalStore {
  return {
    async add(given, most) {
      const wanted = [...new Set(given.map(({ team }) => team))];
      const known = await teams.find({ _id: { $in: wanted }, ...notDeleted }, onlyId).toArray();
      const found = new Set(known.map(({ _id }) => _id));
      const kept = given.filter(({ team }) => found.has(team));
      if (kept.length === 0) return;
      const taken = await ids.take('refusals', kept.length);
      await refusals.insertMany(kept.map((refusal, index) => ({ _id: taken[index] ?? 0, ...refusal })));
      for (const team of found) {
        const beyond = refusals.find({ team }, onlyId).sort(newestFirst).skip(most);
        const old = await beyond.map(({ _id }) => _id).toArray();
        if (old.length > 0) await refusals.deleteMany({ _id: { $in: old } });
      }
    },
    list: (team, after, page) =>
      pageOf(
        refusals,
        { team, at: { $gt: after } },
        page,
        (rows) => rows.map(({ _id: id, ...refusal }) => ({ id, ...refusal })),
        { sort: newestFirst },
      ),
  };
}
