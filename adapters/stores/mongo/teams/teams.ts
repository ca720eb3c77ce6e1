import type { Context } from '#adapters/stores/mongo/context.ts';
import { isDuplicate } from '#adapters/stores/mongo/errors.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { checkQuota } from '#adapters/stores/mongo/quota.ts';
import { notDeleted, type TeamRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { offsetOf } from '#core/page.ts';
import type { Team, TeamStore } from '#core/teams/team.ts';
import { endGrant, memberKey, withEmails, withGrantOf, writeGrant } from './members.ts';
import type { DatedRoles } from './roles.ts';

export function toTeam({ _id: id, name, kind, createdAt }: TeamRow): Team {
  return { id, name, kind, createdAt };
}

const notPersonal = { kind: { $in: ['shared', 'managed'] }, ...notDeleted } as const;

export function createTeams(
  context: Context,
  { roleOf }: DatedRoles,
): Omit<TeamStore, 'roleOf'> & DatedRoles {
  const { collections, ids, withTeamLock } = context;
  const { teams, users, members } = collections;
  const { domains, claims, orphans, auditLog, journal, teamVersions } = collections;
  const orNull = (row: TeamRow | null) => row && toTeam(row);
  return {
    roleOf,
    async insert({ name, kind, founder, createdAt }, most) {
      const [id = 0] = await ids.take('teams', 1);
      const grant = { source: 'direct', role: 'owner' } as const;
      try {
        const isMade = await withTeamLock(founder === null ? [id] : [id, founder], async ({ session }) => {
          const person = founder === null ? null : await users.findOne({ _id: founder }, { session });
          if (founder !== null) {
            if (person === null) return false;
            await checkQuota(members, { user: founder }, most, session);
          }
          await teams.insertOne({ _id: id, name, kind, createdAt, ...notDeleted }, { session });
          if (person === null) return true;
          const { _id: user, disabledAt } = person;
          const member = { team: id, user, role: grant.role, grants: [grant] };
          await members.insertOne(
            { _id: memberKey(id, user), ...member, joinedAt: createdAt, suspended: disabledAt !== null },
            { session },
          );
          return true;
        });
        if (!isMade) return null;
      } catch (error) {
        if (isDuplicate(error)) return null;
        throw error;
      }
      return { id, name, kind, createdAt };
    },
    find: async (id) => orNull(await teams.findOne({ _id: id, ...notDeleted })),
    findManaged: async (name) => orNull(await teams.findOne({ name, kind: 'managed', ...notDeleted })),
    async list(page) {
      const rows = teams.find(notPersonal).sort({ _id: 1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), teams.countDocuments(notPersonal)]);
      return { items: items.map(toTeam), total };
    },
    async listOf(user, page) {
      const rows = await members
        .find({ user })
        .sort({ team: 1 })
        .skip(offsetOf(page))
        .limit(page.limit)
        .toArray();
      const [found, total] = await Promise.all([
        teams.find({ _id: { $in: rows.map(({ team }) => team) }, ...notDeleted }).toArray(),
        members.countDocuments({ user }),
      ]);
      const byId = new Map(found.map((row) => [row._id, row]));
      const items = rows.flatMap(({ team, role }) => {
        const row = byId.get(team);
        return row === undefined ? [] : [{ ...toTeam(row), role }];
      });
      return { items, total };
    },
    async rename(id, name) {
      return orNull(
        await teams.findOneAndUpdate(
          { _id: id, ...notDeleted },
          { $set: { name } },
          { returnDocument: 'after' },
        ),
      );
    },
    softDelete: (id) => withTeamLock([id], (lock) => softDeleteTeam(context, lock, id)),
    async clearDeleted(limit) {
      const withDomains: number[] = [];
      for (const { _id: owner } of await teams.find({ deleted: true }).limit(limit).toArray()) {
        const own = { $or: [{ owner }, { 'move.from': owner }, { 'move.to': owner }] };
        if ((await domains.findOne(own, { projection: { _id: 1 } })) !== null) {
          withDomains.push(owner);
          continue;
        }
        await journal.deleteMany({ owner });
        await auditLog.deleteMany({ team: owner });
        await claims.deleteOne({ _id: owner });
        await orphans.deleteMany({ owner });
        await teamVersions.deleteOne({ _id: owner });
        await teams.deleteOne({ _id: owner });
      }
      return withDomains;
    },
    async members(team, page) {
      const rows = members.find({ team }).sort({ user: 1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), members.countDocuments({ team })]);
      return { items: await withEmails(context, items), total };
    },
    async findMember(team, user) {
      const row = await members.findOne({ team, user });
      return row && ((await withEmails(context, [row]))[0] ?? null);
    },
    async grant(...change) {
      const [team, user] = change;
      const row = await withTeamLock([team, user], (lock) => writeGrant(context, lock, change));
      if (row === null || row === 'last-owner') return row;
      return (await withEmails(context, [row]))[0] ?? null;
    },
    revoke: (...change) => {
      const [team, user] = change;
      return withTeamLock([team, user], (lock) => endGrant(context, lock, change));
    },
    async grantsOf(user, source) {
      const rows = await members.find({ user, ...withGrantOf(source) }).toArray();
      return rows.flatMap(({ team, grants }) =>
        grants.filter((grant) => grant.source === source).map(({ role }) => ({ team, role })),
      );
    },
  };
}

/** Soft-deletes a team, with its members, invitations and keys, in a transaction that has locked it. False without the team. */
export async function softDeleteTeam(
  { collections }: Pick<Context, 'collections'>,
  { session }: Pick<TeamLock, 'session'>,
  id: Id,
): Promise<boolean> {
  const { teams, members, memberRules, apiKeys, sessions, invitations } = collections;
  const mark = { $set: { deleted: true } };
  if ((await teams.updateOne({ _id: id, ...notDeleted }, mark, { session })).modifiedCount === 0)
    return false;
  const keys = await apiKeys.find({ owner: id }, { session, projection: { _id: 1 } }).toArray();
  await sessions.deleteMany({ keyId: { $in: keys.map(({ _id }) => _id) } }, { session });
  await apiKeys.deleteMany({ owner: id }, { session });
  await invitations.deleteMany({ team: id }, { session });
  await memberRules.deleteMany({ team: id }, { session });
  await members.deleteMany({ team: id }, { session });
  return true;
}
