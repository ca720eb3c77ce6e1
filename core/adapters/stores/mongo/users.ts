import type { User, UserStore } from '#core/access/access.ts';
import type { UserRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Context } from './context.ts';
import { isDuplicate } from './errors.ts';

export function toUser({ _id: id, email, createdAt }: UserRow): User {
  return { id, email, createdAt };
}

export function createUsers({ collections: { users }, ids }: Context): UserStore {
  return {
    async insert(email, passwordHash, now) {
      if ((await users.countDocuments({ email }, { limit: 1 })) > 0) return null;
      const [id = 0] = await ids.take('users', 1);
      try {
        await users.insertOne({ _id: id, email, passwordHash, createdAt: now });
      } catch (error) {
        if (isDuplicate(error)) return null;
        throw error;
      }
      return { id, email, createdAt: now };
    },
    async find(id) {
      const row = await users.findOne({ _id: id });
      return row === null ? null : toUser(row);
    },
    async findByEmail(email) {
      const row = await users.findOne({ email });
      return row === null ? null : { user: toUser(row), passwordHash: row.passwordHash };
    },
    async setPassword(id, passwordHash) {
      await users.updateOne({ _id: id }, { $set: { passwordHash } });
    },
  };
}
