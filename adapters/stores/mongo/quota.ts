import type { ClientSession, Collection, Document, Filter } from 'mongodb';
import { type DomainRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { OverQuota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';

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

/**
 * Condition for the domains or accounts of a team for its quotas. Those on their way to it count, or several moves at a time
 * would exceed the quota. They have minus the id of the domain as their owner.
 */
export async function countedFor(
  domains: Collection<DomainRow>,
  team: Id,
  session: ClientSession,
): Promise<{ owner: { $in: Id[] }; deleted: false }> {
  const coming = await domains
    .find({ owner: { $lt: 0 }, 'move.to': team, ...notDeleted }, { session, projection: { _id: 1 } })
    .toArray();
  return { owner: { $in: [team, ...coming.map(({ _id }) => -_id)] }, ...notDeleted };
}
