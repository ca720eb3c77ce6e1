import { audit, found } from '#api/context.ts';
import { route } from '#api/route.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import {
  memberList,
  memberShape,
  memberUpdate,
  teamCreation,
  teamList,
  teamQuery,
  teamShape,
  teamUpdate,
} from '#api/shapes/team.ts';
import { ForbiddenRole } from '#core/errors.ts';
import { createTeam, removeTeam } from '#core/teams/manage-teams.ts';
import { changeRole, removeMember } from '#core/teams/member-changes.ts';
import { renameTeam } from '#core/teams/team-changes.ts';

const success = { description: 'The team', shape: teamShape };

export const teamRoutes = [
  route({
    method: 'get',
    path: '/api/teams',
    operationId: 'listTeams',
    summary: 'List your teams, the oldest first; with an API key, its team alone',
    query: teamQuery,
    success: { description: 'A page of teams', shape: teamList },
    async handle({ services, caller, query }) {
      if (caller.keyName === null && caller.user !== null)
        return services.teams.listOf(caller.user.id, query);
      const own = { ...found(await services.teams.find(caller.team)), role: caller.role ?? 'viewer' };
      return { items: query.page === 1 ? [own] : [], total: 1 };
    },
  }),
  route({
    method: 'post',
    path: '/api/teams',
    operationId: 'createTeam',
    summary: 'Make a team, whose owner you are',
    permission: 'self',
    body: teamCreation,
    success,
    async handle(call) {
      const { services, caller, body } = call;
      if (caller.user === null) throw new ForbiddenRole('The key of a namespace makes no teams');
      const team = await createTeam(services, caller.user.id, body.name);
      await audit(call, 'team.created', team.name, team.id);
      return { ...team, role: 'owner' as const };
    },
  }),
  route({
    method: 'patch',
    path: '/api/teams/{team_id}',
    operationId: 'updateTeam',
    summary: 'Rename a team',
    permission: 'manage',
    body: teamUpdate,
    success,
    async handle(call) {
      const { services, ids, body } = call;
      const team = await services.rows.change(renameTeam, { team: ids.team_id, name: body.name ?? '' });
      await audit(call, 'team.renamed', team.name);
      return { ...team, role: 'owner' as const };
    },
  }),
  route({
    method: 'delete',
    path: '/api/teams/{team_id}',
    operationId: 'deleteTeam',
    summary: 'Delete a team with its domains, accounts, mail and API keys',
    permission: 'manage',
    success: { description: 'Deleted', shape: deletion },
    async handle(call) {
      const { services, caller, ids } = call;
      const team = await removeTeam(services, ids.team_id, { byOwner: true });
      // The audit log of the team goes with it.
      if (caller.user !== null) await audit(call, 'team.deleted', team.name, caller.user.id);
    },
  }),
  route({
    method: 'get',
    path: '/api/teams/{team_id}/members',
    operationId: 'listMembers',
    summary: 'List the members of a team',
    query: teamQuery,
    success: { description: 'A page of members', shape: memberList },
    handle: ({ services, ids, query }) => services.teams.members(ids.team_id, query),
  }),
  route({
    method: 'patch',
    path: '/api/teams/{team_id}/members/{user_id}',
    operationId: 'updateMember',
    summary: 'Change the role of a member',
    permission: 'manage',
    body: memberUpdate,
    success: { description: 'The member', shape: memberShape },
    async handle(call) {
      const { services, ids, body } = call;
      const place = { team: ids.team_id, user: ids.user_id };
      const member = await services.rows.change(changeRole, { ...place, role: body.role ?? 'viewer' });
      await audit(call, 'member.changed', `${member.email}: ${member.role}`);
      return member;
    },
  }),
  route({
    method: 'delete',
    path: '/api/teams/{team_id}/members/{user_id}',
    operationId: 'deleteMember',
    summary: 'Remove a member, and revoke the API keys that they made in the team',
    permission: 'manage',
    success: { description: 'Removed', shape: deletion },
    async handle(call) {
      const { services, ids } = call;
      const member = await services.rows.change(removeMember, { team: ids.team_id, user: ids.user_id });
      await audit(call, 'member.removed', member.email);
    },
  }),
];
