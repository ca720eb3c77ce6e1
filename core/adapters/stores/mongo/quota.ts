import type { ClientSession, Collection, Document, Filter } from 'mongodb';
import { OverQuota } from '#core/errors.ts';

/**
 * Throws OverQuota where a collection has `most` of these rows; without `most` there is no limit. Exact under the lock of their
 * owner, which all that add such rows take.
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
