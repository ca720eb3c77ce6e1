import type { Context } from '#adapters/stores/mongo/context.ts';
import { taggedHint } from '#adapters/stores/mongo/schema/indexes.ts';
import type { TagCount, TagStore } from '#core/messages/tag-counts.ts';
import { inSnapshot } from './message-list.ts';
import { unexpired } from './message-rows.ts';
import { readListFacts, snapshot } from './message-scope.ts';

const sortBy = { count: -1, _id: 1 };
const output = { name: '$_id', count: '$count' };

export function createTagCounts(context: Context): TagStore {
  const { messages } = context.collections;
  return {
    count: (owner, { newest, most }, visibility) =>
      inSnapshot(context, undefined, async (session) => {
        const { scope } = await readListFacts(context, owner, {}, session);
        if (scope === null) return [];
        const stages = [
          { $match: { owner, tags: { $exists: true } } },
          { $sort: { number: -1 } },
          { $limit: newest },
          { $match: { ...scope.rows, ...unexpired(visibility) } },
          { $unwind: '$tags' },
          { $group: { _id: '$tags', count: { $sum: 1 } } },
          { $group: { _id: null, tags: { $topN: { n: most, sortBy, output } } } },
        ];
        const options = { session, ...snapshot, hint: taggedHint };
        const [found] = await messages.aggregate<{ tags: TagCount[] }>(stages, options).toArray();
        return found?.tags ?? [];
      }),
  };
}
