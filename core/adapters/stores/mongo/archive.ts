import { notDeleted } from '#core/adapters/stores/mongo/schema/rows.ts';
import { installationOf } from '#core/adapters/stores/mongo/schema/schema.ts';
import type { ArchiveStore } from '#core/archive/archive.ts';
import type { Context } from './context.ts';

/** Reads of an export that the other ports lack. */
export function createArchive({ collections }: Context): ArchiveStore {
  const { users, apiKeys, accounts, messages } = collections;
  return {
    installation: () => installationOf(collections),
    async users() {
      const rows = await users.find().sort({ _id: 1 }).toArray();
      return rows.map(({ _id: id, email, passwordHash }) => ({ id, email, passwordHash }));
    },
    async apiKeys(owner) {
      const rows = await apiKeys.find({ owner }).sort({ _id: 1 }).toArray();
      return rows.map(({ name, prefix, hash, createdAt }) => ({ name, prefix, hash, createdAt }));
    },
    async accountPassword(owner, accountId) {
      const row = await accounts.findOne({ _id: accountId, owner, ...notDeleted });
      return row?.passwordHash ?? null;
    },
    async messagesAfter(owner, { number, id }, limit) {
      const behind = {
        owner,
        number: { $gte: number },
        $or: [{ number: { $gt: number } }, { _id: { $gt: id } }],
      };
      const order = { number: 1, _id: 1 } as const;
      const rows = await messages
        .find(behind)
        .sort(order)
        .limit(limit)
        .project<{ _id: number; number: number }>(order)
        .toArray();
      return rows.map((row) => ({ number: row.number, id: row._id }));
    },
  };
}
