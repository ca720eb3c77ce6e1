import type { Context } from '#adapters/stores/mongo/context.ts';
import { pageOf } from '#adapters/stores/mongo/pages.ts';
import { type MemberRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
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
  const withTeams = async (rows: MemberRow[]) => {
    const found = await teams.find({ _id: { $in: rows.map(({ team }) => team) }, ...notDeleted }).toArray();
    const byId = new Map(found.map((row) => [row._id, row]));
    return rows.flatMap(({ team, role, grants }) => {
      const row = byId.get(team);
      return row === undefined ? [] : [{ ...toTeam(row), role, grants }];
    });
  };
  return {
    roleOf,
    async find(by) {
      const wanted = typeof by === 'number' ? { _id: by } : { name: by.managed, kind: 'managed' as const };
      const row = await teams.findOne({ ...wanted, ...notDeleted });
      return row && toTeam(row);
    },
    list: (page, { personal } = { personal: false }) =>
      pageOf(teams, personal ? notDeleted : notPersonal, page, (rows) => rows.map(toTeam)),
    listOf: (user, page) => pageOf(members, { user }, page, withTeams, { sort: { team: 1 } }),
    members: (team, page) => pageOf(members, { team }, page, withEmails, { sort: { user: 1 } }),
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
      return pageOf(invitations, wanted, page, (rows) => rows.map(toInvitation), { sort: { _id: -1 } });
    },
    async find(hash, now) {
      const row = await invitations.findOne({ hash, expiresAt: { $gt: now } });
      const team = row && (await teams.findOne({ _id: row.team, ...notDeleted }));
      return row && team && { invitation: toInvitation(row), team: toTeam(team) };
    },
  };
}
