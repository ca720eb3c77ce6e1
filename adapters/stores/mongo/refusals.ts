import type { Id } from '#core/ids.ts';
import type { RefusalStore } from '#core/refusals/refusal.ts';
import type { Context } from './context.ts';
import { pageOf } from './pages.ts';
import { notDeleted } from './schema/rows.ts';

const newestFirst = { at: -1, _id: -1 } as const;
const onlyId = { projection: { _id: 1 } } as const;

/**
 * Finds the refusals of a team beyond `most`. `nth` counts those of an address from its newest: those of the address with the most
 * are the last.
 */
const oldOf = (team: Id, most: number) => [
  { $match: { team } },
  {
    $setWindowFields: {
      partitionBy: '$remoteAddress',
      sortBy: newestFirst,
      output: { nth: { $sum: 1, window: { documents: ['unbounded', 'current'] } } },
    },
  },
  { $sort: { nth: 1, ...newestFirst } },
  { $skip: most },
  { $project: { _id: 1 } },
];

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
        const beyond = refusals.find({ team }, onlyId).sort(newestFirst).skip(most).limit(1);
        if ((await beyond.next()) === null) continue;
        const old = await refusals.aggregate<{ _id: Id }>(oldOf(team, most)).toArray();
        await refusals.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
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
