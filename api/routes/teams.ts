import { audit, found } from '#api/context.ts';
import { pageQuery } from '#api/shapes/page.ts';
import {
  memberList,
  memberShape,
  memberUpdate,
  teamCreation,
  teamList,
  teamShape,
  teamUpdate,
} from '#api/shapes/team.ts';
import { ForbiddenRole } from '#core/errors.ts';
import { createTeam, removeTeam } from '#core/teams/manage-teams.ts';
import { changeRole, removeMember } from '#core/teams/member-changes.ts';
import { renameTeam } from '#core/teams/team-changes.ts';
import { collection } from './collection.ts';

const ownTeams = collection({
  noun: ['Team', 'Teams'],
  path: '/api/teams',
  id: 'team_id',
  success: { description: 'The team', shape: teamShape },
  list: {
    summary: 'List your teams, the oldest first; with an API key, its team alone',
    query: pageQuery,
    success: { description: 'A page of teams', shape: teamList },
    async run({ services, caller, query }) {
      if (caller.keyName === null && caller.user !== null)
        return services.teams.listOf(caller.user.id, query);
      const own = { ...found(await services.teams.find(caller.team)), role: caller.role ?? 'viewer' };
      return { items: query.page === 1 ? [own] : [], total: 1 };
    },
  },
  create: {
    summary: 'Make a team, whose owner you are',
    permission: 'self',
    body: teamCreation,
    async run(call) {
      const { services, caller, body } = call;
      if (caller.user === null) throw new ForbiddenRole('The key of a namespace makes no teams');
      const team = await createTeam(services, caller.user.id, body.name);
      await audit(call, 'team.created', team.name, team.id);
      return { ...team, role: 'owner' };
    },
  },
  update: {
    summary: 'Rename a team',
    permission: 'manage',
    body: teamUpdate,
    async run({ services, ids, body }) {
      const team = await services.rows.change(renameTeam, { team: ids.team_id, name: body.name ?? '' });
      return { ...team, role: 'owner' };
    },
    audit: ({ name }) => ['team.renamed', name],
  },
  delete: {
    summary: 'Delete a team with its domains, accounts, mail and API keys',
    permission: 'manage',
    gone: 'Deleted',
    async run(call) {
      const { services, caller, ids } = call;
      const team = await removeTeam(services, ids.team_id, { byOwner: true });
      // The audit log of the team goes with it.
      if (caller.user !== null) await audit(call, 'team.deleted', team.name, caller.user.id);
    },
  },
});

const members = collection({
  noun: ['Member', 'Members'],
  path: '/api/teams/{team_id}/members',
  id: 'user_id',
  success: { description: 'The member', shape: memberShape },
  list: {
    summary: 'List the members of a team',
    query: pageQuery,
    success: { description: 'A page of members', shape: memberList },
    run: ({ services, ids, query }) => services.teams.members(ids.team_id, query),
  },
  update: {
    summary: 'Change the role of a member',
    permission: 'manage',
    body: memberUpdate,
    run({ services, ids: { team_id: team, user_id: user }, body: { role = 'viewer' } }) {
      return services.rows.change(changeRole, { team, user, role });
    },
    audit: ({ email, role }) => ['member.changed', `${email}: ${role}`],
  },
  delete: {
    summary: 'Remove a member, and revoke the API keys that they made in the team',
    permission: 'manage',
    gone: 'Removed',
    run: ({ services, ids: { team_id: team, user_id: user } }) =>
      services.rows.change(removeMember, { team, user }),
    audit: ({ email }) => ['member.removed', email],
  },
});

export const teamRoutes = [...ownTeams, ...members];
