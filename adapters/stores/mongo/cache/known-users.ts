import type { Collection } from 'mongodb';
import type { UserRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { User } from '#core/access/access.ts';
import type { Id } from '#core/ids.ts';
import { createBatchLoader } from './read-cache.ts';

/** Maximum users that are cached. The one that was read first is dropped first. */
const most = 10_000;

/** Returns users by their ids. These fields never change, so each user is read once. */
export function createKnownUsers(users: Collection<UserRow>): (id: Id) => Promise<User | null> {
  const known = new Map<Id, User>();
  const read = createBatchLoader<Id, User>(async (ids) => {
    const rows = await users.find({ _id: { $in: ids } }).toArray();
    return new Map(rows.map(({ _id: id, email, createdAt }) => [id, { id, email, createdAt }]));
  });
  return async (id) => {
    const user = known.get(id) ?? (await read(id));
    if (user === null) return null;
    known.set(id, user);
    const [first] = known.keys();
    if (known.size > most && first !== undefined) known.delete(first);
    return user;
  };
}
