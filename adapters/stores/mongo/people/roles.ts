import { createBatchLoader } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { memberKey } from '#adapters/stores/mongo/rows/hands.ts';
import type { MemberRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { Role } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';

/** Reading of roles. A role may be as old as `notBefore`, a time by `performance.now()`. */
export type DatedRoles = { roleOf(team: Id, user: Id, notBefore?: number): Promise<Role | null> };

/** Approximate size of a cached role, bytes. */
const roleBytes = 200;

/** Reads roles through the read cache: each change of a membership is made under the lock of its team. */
export function createRoles({
  collections: { members },
  cachedRead,
}: Pick<Context, 'collections' | 'cachedRead'>): DatedRoles {
  const read = createBatchLoader<string, MemberRow>(async (keys) => {
    const rows = await members.find({ _id: { $in: keys } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  });
  return {
    async roleOf(team, user, notBefore) {
      const row = await cachedRead(team, `role ${user}`, {
        read: () => read(memberKey(team, user)),
        bytes: () => roleBytes,
        isFresh: () => true,
        outlivesMail: true,
        notBefore,
      });
      return row === null || row.suspended ? null : row.role;
    },
  };
}
