import { identityOf } from '#adapters/stores/mongo/people/rows.ts';
import { notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { ArchiveStore, MessageFacts, Place } from '#core/archive/archive.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

/** Reads of an export that the other ports lack. */
export function createArchive({ collections }: Context): ArchiveStore {
  const { users, identities, apiKeys, accounts, messages } = collections;
  return {
    async identities(userId) {
      const rows = await identities.find({ userId }).sort({ issuer: 1 }).toArray();
      return rows.map(identityOf);
    },
    async credentials(owner) {
      const keys = await apiKeys.find({ owner }).sort({ _id: 1 }).toArray();
      const creators = keys.flatMap(({ createdBy }) => createdBy ?? []);
      const found = await users.find({ _id: { $in: creators } }, { projection: { email: 1 } }).toArray();
      const emails = new Map(found.map(({ _id, email }) => [_id, email]));
      const own = accounts.find({ owner, ...notDeleted }, { projection: { passwordHash: 1 } });
      return {
        apiKeys: keys.map(({ _id, owner: _, createdBy, lastUsedAt: __, ...key }) => ({
          ...key,
          createdBy: createdBy === null ? null : (emails.get(createdBy) ?? ''),
        })),
        passwords: new Map((await own.toArray()).map(({ _id, passwordHash }) => [_id, passwordHash])),
      };
    },
    async messages(owner, wanted) {
      const order = { number: 1, _id: 1 } as const;
      const found =
        'after' in wanted
          ? messages
              .find({ owner, ...behind(wanted.after) })
              .sort(order)
              .limit(wanted.limit)
          : messages.find({ owner, ...factsOf(wanted.alike) });
      const rows = await found.project<{ _id: Id; number: number }>(order).toArray();
      return rows.map(({ _id: id, number }) => ({ number, id }));
    },
  };
}

function behind({ number, id }: Place) {
  return { number: { $gte: number }, $or: [{ number: { $gt: number } }, { _id: { $gt: id } }] };
}

/** Leaves out all but the facts, since a caller may give more. */
function factsOf({ mailboxId, receivedAt, sizeBytes }: MessageFacts): MessageFacts {
  return { mailboxId, receivedAt, sizeBytes };
}
