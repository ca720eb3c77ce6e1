import { identityOf, toTeam } from '#adapters/stores/mongo/people/rows.ts';
import { notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { ArchiveStore } from '#core/archive/archive.ts';
import type { Context } from './context.ts';

/** Reads of an export that the other ports lack. */
export function createArchive({ collections }: Context): ArchiveStore {
  const { users, identities, teams, apiKeys, accounts, messages } = collections;
  return {
    async identities(userId) {
      const rows = await identities.find({ userId }).sort({ issuer: 1 }).toArray();
      return rows.map(identityOf);
    },
    async teams() {
      return (await teams.find(notDeleted).sort({ _id: 1 }).toArray()).map(toTeam);
    },
    async apiKeys(owner) {
      const rows = await apiKeys.find({ owner }).sort({ _id: 1 }).toArray();
      const creators = rows.flatMap(({ createdBy }) => createdBy ?? []);
      const found = await users.find({ _id: { $in: creators } }, { projection: { email: 1 } }).toArray();
      const emails = new Map(found.map(({ _id, email }) => [_id, email]));
      return rows.map(({ _id, owner: _, createdBy, lastUsedAt: __, ...key }) => ({
        ...key,
        createdBy: createdBy === null ? null : (emails.get(createdBy) ?? ''),
      }));
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
    async messagesWith(owner, { mailboxId, receivedAt, sizeBytes }) {
      const alike = messages.find({ owner, mailboxId, receivedAt, sizeBytes });
      return (await alike.project<{ _id: number }>({ _id: 1 }).toArray()).map(({ _id }) => _id);
    },
  };
}
