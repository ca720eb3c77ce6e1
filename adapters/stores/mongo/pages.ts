import type { Collection, Document, Filter, Hint, Sort, WithId } from 'mongodb';
import { offsetOf, type Page, type Slice } from '#core/page.ts';

/** Reads one page of the rows that pass a condition, ascending by id unless `sort` says otherwise, and counts all of them. */
export async function pageOf<Row extends Document, Item>(
  collection: Collection<Row>,
  wanted: Filter<Row>,
  page: Page,
  toItems: (rows: WithId<Row>[]) => Item[] | Promise<Item[]>,
  { sort = { _id: 1 }, ...options }: { sort?: Sort; hint?: Hint } = {},
): Promise<Slice<Item>> {
  const rows = collection.find(wanted, options).sort(sort).skip(offsetOf(page)).limit(page.limit);
  const [found, total] = await Promise.all([rows.toArray(), collection.countDocuments(wanted, options)]);
  return { items: await toItems(found), total };
}
