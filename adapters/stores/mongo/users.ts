import { isDeepStrictEqual } from 'node:util';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import type { IdentityRow, UserRow } from '#adapters/stores/mongo/schema/rows.ts';
import { memberKey } from '#adapters/stores/mongo/teams/members.ts';
import { softDeleteTeam } from '#adapters/stores/mongo/teams/teams.ts';
import type { Identity, User, UserRecord, UserStore } from '#core/access/access.ts';
import { planTakeOver } from '#core/access/take-over.ts';
import type { Id } from '#core/ids.ts';
import { offsetOf } from '#core/page.ts';
import type { Context } from './context.ts';
import { isDuplicate } from './errors.ts';
import { surroundings, takeOver } from './take-overs.ts';

export function toUser({ _id: id, email, createdAt }: UserRow): User {
  return { id, email, createdAt };
}

function toRecord(row: UserRow | null): UserRecord | null {
  if (row === null) return null;
  const { passwordHash, emailVerified, disabledAt } = row;
  return { user: toUser(row), passwordHash, emailVerified, disabledAt };
}

/** Returns the id of an identity's row. An issuer is a URL, which has no spaces. */
export function identityKey({ issuer, subject }: Identity): string {
  return `${issuer} ${subject}`;
}

/** Returns the identity of a row. */
export function identityOf({ _id, issuer }: IdentityRow): Identity {
  return { issuer, subject: _id.slice(identityKey({ issuer, subject: '' }).length) };
}

export function createUsers(context: Context): UserStore {
  const { collections, ids, withTeamLock } = context;
  const { users, identities, teams, members, apiKeys, invitations, sessions, teamVersions } = collections;

  const endSessions = async (id: Id, { session }: TeamLock): Promise<void> => {
    const keys = await apiKeys.find({ createdBy: id }, { session, projection: { _id: 1 } }).toArray();
    const keyId = { $in: keys.map(({ _id }) => _id) };
    await sessions.deleteMany({ $or: [{ userId: id }, { keyId }] }, { session });
  };
  /** Counts a change of all teams that a user is in or has keys of, for the caches of keys and roles. */
  const countChanges = async (id: Id, { session }: TeamLock): Promise<void> => {
    const rows = await members.find({ user: id }, { session, projection: { team: 1 } }).toArray();
    await teamVersions.updateMany(
      { _id: { $in: rows.map(({ team }) => team).filter((team) => team !== id) } },
      { $inc: { version: 1, changes: 1 } },
      { session },
    );
  };

  return {
    async insert(email, passwordHash, now, { emailVerified = false, identity } = {}) {
      if ((await users.countDocuments({ email }, { limit: 1 })) > 0) return null;
      const [id = 0] = await ids.take('teams', 1);
      const row = { _id: id, email, passwordHash, createdAt: now, emailVerified, disabledAt: null };
      try {
        await withTeamLock([id], async ({ session }) => {
          const team = { _id: id, name: email, kind: 'personal', createdAt: now, deleted: false } as const;
          await teams.insertOne(team, { session });
          await users.insertOne(row, { session });
          const grant = { source: 'direct', role: 'owner' } as const;
          const member = { team: id, user: id, role: grant.role, grants: [grant] };
          await members.insertOne(
            { _id: memberKey(id, id), ...member, joinedAt: now, suspended: false },
            { session },
          );
          if (identity === undefined) return;
          const { issuer } = identity;
          await identities.insertOne({ _id: identityKey(identity), issuer, userId: id }, { session });
        });
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
      return toRecord(await users.findOne({ email }));
    },
    async findByIdentity(identity) {
      const found = await identities.findOne({ _id: identityKey(identity) });
      return found && toRecord(await users.findOne({ _id: found.userId }));
    },
    async list(page) {
      const [rows, total] = await Promise.all([
        users.find().sort({ _id: 1 }).skip(offsetOf(page)).limit(page.limit).toArray(),
        users.countDocuments(),
      ]);
      return { items: rows.flatMap((row) => toRecord(row) ?? []), total };
    },
    async setPassword(id, passwordHash) {
      await users.updateOne({ _id: id }, { $set: { passwordHash } });
    },
    async vouch(id, proof) {
      try {
        return await withTeamLock([id], async (lock) => {
          const { session } = lock;
          const user = await users.findOne({ _id: id }, { session });
          if (user === null) return null;
          if ('identity' in proof) {
            const { issuer } = proof.identity;
            const row = { _id: identityKey(proof.identity), issuer, userId: id };
            await identities.insertOne(row, { session });
          }
          const taken = planTakeOver(await surroundings(context, lock, user));
          if (taken !== null) {
            await endSessions(id, lock);
            await countChanges(id, lock);
            await takeOver(context, lock, taken);
          }
          const passwordHash =
            'passwordHash' in proof ? proof.passwordHash : taken ? null : user.passwordHash;
          await users.updateOne({ _id: id }, { $set: { passwordHash, emailVerified: true } }, { session });
          return { taken };
        });
      } catch (error) {
        if (isDuplicate(error)) return null;
        throw error;
      }
    },
    async setDisabled(id, at) {
      await withTeamLock([id], async (lock) => {
        const { session } = lock;
        await users.updateOne({ _id: id }, { $set: { disabledAt: at } }, { session });
        await members.updateMany({ user: id }, { $set: { suspended: at !== null } }, { session });
        if (at !== null) {
          await endSessions(id, lock);
          await invitations.deleteMany({ createdBy: id }, { session });
        }
        await countChanges(id, lock);
      });
    },
    async setGroups(id, groups) {
      const before = (await users.findOne({ _id: id }))?.groups ?? [];
      if (isDeepStrictEqual(new Set(before), new Set(groups))) return;
      // The lock keeps the change apart from memberships that are being made by the groups.
      await withTeamLock([id], async ({ session }) => {
        await users.updateOne({ _id: id }, { $set: { groups: [...new Set(groups)] } }, { session });
      });
    },
    async remove(id) {
      await withTeamLock([id], async (lock) => {
        const { session } = lock;
        await endSessions(id, lock);
        await countChanges(id, lock);
        await softDeleteTeam(context, lock, id);
        await apiKeys.deleteMany({ createdBy: id }, { session });
        await invitations.deleteMany({ createdBy: id }, { session });
        await members.deleteMany({ user: id }, { session });
        await identities.deleteMany({ userId: id }, { session });
        await users.deleteOne({ _id: id }, { session });
      });
    },
  };
}
