import type { Context } from '#adapters/stores/mongo/context.ts';
import { type MemberRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { offsetOf } from '#core/page.ts';
import type { InvitationStore } from '#core/teams/invitations.ts';
import type { Member, TeamStore } from '#core/teams/team.ts';
import type { DatedRoles } from './roles.ts';
import { toInvitation, toTeam } from './rows.ts';

const notPersonal = { kind: { $in: ['shared', 'managed'] }, ...notDeleted } as const;

export function createTeams(
  { collections }: Context,
  { roleOf }: DatedRoles,
): Omit<TeamStore, 'roleOf'> & DatedRoles {
  const { teams, users, members } = collections;
  const withEmails = async (rows: MemberRow[]): Promise<Member[]> => {
    const ids = rows.map(({ user }) => user);
    const found = await users.find({ _id: { $in: ids } }, { projection: { email: 1 } }).toArray();
    const emails = new Map(found.map(({ _id, email }) => [_id, email]));
    return rows.map(({ user: userId, role, grants, joinedAt }) => ({
      ...{ userId, email: emails.get(userId) ?? '', role, grants, joinedAt },
    }));
  };
  return {
    roleOf,
    async find(by) {
      const wanted = typeof by === 'number' ? { _id: by } : { name: by.managed, kind: 'managed' as const };
      const row = await teams.findOne({ ...wanted, ...notDeleted });
      return row && toTeam(row);
    },
    async list(page) {
      const rows = teams.find(notPersonal).sort({ _id: 1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), teams.countDocuments(notPersonal)]);
      return { items: items.map(toTeam), total };
    },
    async listOf(user, page) {
      const list = members.find({ user }).sort({ team: 1 }).skip(offsetOf(page)).limit(page.limit);
      const rows = await list.toArray();
      const [found, total] = await Promise.all([
        teams.find({ _id: { $in: rows.map(({ team }) => team) }, ...notDeleted }).toArray(),
        members.countDocuments({ user }),
      ]);
      const byId = new Map(found.map((row) => [row._id, row]));
      const items = rows.flatMap(({ team, role, grants }) => {
        const row = byId.get(team);
        return row === undefined ? [] : [{ ...toTeam(row), role, grants }];
      });
      return { items, total };
    },
    async members(team, page) {
      const rows = members.find({ team }).sort({ user: 1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), members.countDocuments({ team })]);
      return { items: await withEmails(items), total };
    },
    async findMember(team, user) {
      const row = await members.findOne({ team, user });
      return row && ((await withEmails([row]))[0] ?? null);
    },
  };
}

export function createInvitations({ collections: { invitations, teams } }: Context): InvitationStore {
  return {
    async list(team, now, page) {
      const wanted = { team, expiresAt: { $gt: now } };
      const rows = invitations.find(wanted).sort({ _id: -1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), invitations.countDocuments(wanted)]);
      return { items: items.map(toInvitation), total };
    },
    async find(hash, now) {
      const row = await invitations.findOne({ hash, expiresAt: { $gt: now } });
      const team = row && (await teams.findOne({ _id: row.team, ...notDeleted }));
      return row && team && { invitation: toInvitation(row), team: toTeam(team) };
    },
  };
}
