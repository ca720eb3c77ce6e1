import type { ClientSession, Collection, Document, Filter } from 'mongodb';
import { OverQuota } from '#core/errors.ts';

/**
 * Throws OverQuota if a collection has `most` of these rows. Without `most` there is no limit. The count is exact under the
 * team lock of the owner, which each insertion of such rows takes.
 */
export async function checkQuota<Row extends Document>(
  collection: Collection<Row>,
  rows: Filter<Row>,
  most: number | undefined,
  session: ClientSession,
): Promise<void> {
  if (most === undefined) return;
  if ((await collection.countDocuments(rows, { session })) >= most) throw new OverQuota();
}
