import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { type DomainRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Domain, DomainStore } from '#core/domains/domain.ts';
import { domainPath, relatedPaths } from '#core/domains/domain-name.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';
import { checkQuota, countedFor } from './counters.ts';
import { isDuplicate } from './errors.ts';
import { pageOf } from './pages.ts';

export function toDomain({
  _id: id,
  deleted: _deleted,
  path: _path,
  move: _move,
  ...rest
}: DomainRow): Domain {
  return { id, ...rest };
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

export function createDomains(context: Context): DomainStore {
  const { collections, ids, withTeamLock } = context;
  const { domains, accounts, teams } = collections;
  return {
    async insert(owner, { name, active, verification, managedBy, createdAt }, quota) {
      const [_id = 0] = await ids.take('domains', 1);
      const times = { createdAt, updatedAt: createdAt };
      const path = domainPath(name);
      const state = { active, verification, managedBy, ...notDeleted };
      const row: DomainRow = { _id, owner, name, path, ...state, ...times };
      const related = relatedTo(owner, name);
      try {
        const isKept = await withTeamLock([allNames, owner], async ({ session }) => {
          if ((await teams.findOne({ _id: owner, ...notDeleted }, { session })) === null)
            throw new NotFound();
          await checkQuota(domains, await countedFor(domains, owner, session), quota, session);
          if ((await domains.findOne(related, { session, projection: { _id: 1 } })) !== null) return false;
          await domains.insertOne(row, { session });
          return true;
        });
        if (!isKept) return 'overlaps';
      } catch (error) {
        if (isDuplicate(error, 'name')) return null;
        throw error;
      }
      return toDomain(row);
    },
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
    async update(owner, id, change, now) {
      const written = { $set: { ...change, updatedAt: now } };
      // Takes the team lock even for one write: processes of 0.2 keep accounts while the team's version is unchanged.
      const row = await withTeamLock([owner], ({ session }) =>
        domains.findOneAndUpdate({ _id: id, owner, ...notDeleted }, written, {
          returnDocument: 'after',
          session,
        }),
      );
      return row === null ? null : toDomain(row);
    },
    softDelete: (owner, id) =>
      withTeamLock([owner], async (lock) => {
        const { session } = lock;
        const { modifiedCount } = await domains.updateOne(
          { _id: id, owner, ...notDeleted },
          { $set: { deleted: true } },
          { session },
        );
        if (modifiedCount === 0) return false;
        const held = await accounts
          .find({ domainId: id, ...notDeleted }, { session, projection: { _id: 1 } })
          .map((account) => account._id)
          .toArray();
        await accounts.updateMany({ domainId: id, ...notDeleted }, { $set: { deleted: true } }, { session });
        await softDeleteMailboxes(context, lock, held);
        return true;
      }),
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

/** Soft-deletes the mailboxes of accounts. */
export async function softDeleteMailboxes(
  { collections: { mailboxes } }: Context,
  { session }: TeamLock,
  accountIds: Id[],
): Promise<void> {
  await mailboxes.updateMany(
    { accountId: { $in: accountIds }, ...notDeleted },
    { $set: { deleted: true } },
    { session },
  );
}
