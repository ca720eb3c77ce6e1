import { type DomainRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Domain, DomainStore } from '#core/domains/domain.ts';
import { relatedPaths } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';
import { pageOf } from './pages.ts';

export function toDomain({
  _id: id,
  deleted: _deleted,
  path: _path,
  move: _move,
  failures: _failures,
  assumedClientIp = null,
  ...rest
}: DomainRow): Domain {
  return { id, assumedClientIp, ...rest };
}

const managed = { $type: 'string' } as const;

/** Id that no team has. Registering or moving a name locks it, so that related names do not come to two teams at once. */
export const allNames = 0;

/** Condition for the domains of other teams above or below a name. */
export function relatedTo(owner: Id, name: string) {
  const { above, below } = relatedPaths(name);
  const [$gt, $lt] = below;
  return { ...notDeleted, owner: { $ne: owner }, $or: [{ path: { $in: above } }, { path: { $gt, $lt } }] };
}

export function createDomains({ collections: { domains } }: Context): DomainStore {
  return {
    list: (owner, filter, page) =>
      pageOf(domains, { owner, ...filter, ...notDeleted }, page, (rows) => rows.map(toDomain)),
    async listManaged() {
      return (await domains.find({ managedBy: managed, ...notDeleted }).toArray()).map(toDomain);
    },
    async find(owner, by) {
      const named = typeof by === 'string' ? { name: by } : { _id: by };
      const row = await domains.findOne({ ...named, owner, ...notDeleted });
      return row === null ? null : toDomain(row);
    },
    async isFree(owner, name) {
      const [taken, related] = await Promise.all([
        domains.findOne({ name, ...notDeleted }, { projection: { _id: 1 } }),
        domains.findOne(relatedTo(owner, name), { projection: { _id: 1 } }),
      ]);
      return taken === null && related === null;
    },
    async dueForCheck(now, limit, except = []) {
      const due = domains.find({
        ...notDeleted,
        'verification.nextCheckAt': { $lte: now },
        owner: { $nin: except },
      });
      return (await due.sort({ 'verification.nextCheckAt': 1 }).limit(limit).toArray()).map(toDomain);
    },
    async writeVerdict(id, readCheckedAt, verdict) {
      // Leaves domains alone whose team declared them verified: they have no next check.
      const { modifiedCount } = await domains.updateOne(
        {
          _id: id,
          ...notDeleted,
          'verification.checkedAt': readCheckedAt,
          'verification.nextCheckAt': { $ne: null },
        },
        { $set: { verification: verdict } },
      );
      return modifiedCount === 1;
    },
  };
}
