import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { audit } from '#api/context.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import {
  answerOf,
  at,
  deletion,
  listOf,
  nullable,
  text,
  wholeNumber,
  word,
} from '#api/shapes/response-shape.ts';
import { flagValue, nameValue, textValue } from '#api/shapes/values.ts';
import { type Role, roles } from '#core/access/role.ts';
import { chooseClients } from '#core/checks/client-support.ts';
import { ForbiddenRole, found } from '#core/errors.ts';
import { createTeam, mostTeamNameCharacters, removeTeam } from '#core/teams/manage-teams.ts';
import { changeRole, removeMember } from '#core/teams/member-changes.ts';
import type { Member, TeamOfMember } from '#core/teams/team.ts';
import { changeTeam } from '#core/teams/team-changes.ts';

const name = () => nameValue(1, mostTeamNameCharacters).example('Checkout');
export const role = () => word<Role>(...roles).example('member');
export const email = () => Joi.string().example('ada@example.com');

const teamCreation = requestShape<{ name: string }>('TeamCreation', { name: name().required() });

const allowsShares =
  'Whether members may create share links. Setting this to false revokes all existing links.';
const clients = 'Mail client families or names to check messages for. Null: all.';
/** Maximum number of names: more than there are clients. */
const mostClients = 100;
const teamUpdate = requestShape<{ name?: string; allowsShares?: boolean; clients?: string[] | null }>(
  'TeamUpdate',
  {
    name: name(),
    allowsShares: flagValue().description(allowsShares),
    clients: Joi.array()
      .items(textValue(1, 100))
      .min(1)
      .max(mostClients)
      .unique()
      .allow(null)
      .example(['gmail', 'outlook.windows'])
      .description(clients),
  },
  { atLeastOne: true },
);

const memberUpdate = requestShape<{ role?: Role }>('MemberUpdate', { role: role() }, { atLeastOne: true });

export const teamShape = answerOf<TeamOfMember>()('Team', {
  id: wholeNumber().min(1).example(3),
  name: text().example('Checkout'),
  role: role().description('Your role in the team.'),
  allows_shares: Joi.boolean().example(true).description(allowsShares),
  clients: nullable(listOf(text())).example(['gmail', 'outlook.windows']).description(clients),
  is_personal: [Joi.boolean().example(false), ({ kind }) => kind === 'personal'],
  created_at: at(({ createdAt }) => createdAt),
});

export const memberShape = answerOf<Member>()('Member', {
  user_id: wholeNumber().min(1).example(1),
  email: email(),
  role: role(),
  managed_by: [
    nullable(Joi.string())
      .example(null)
      .description(
        'Source of a role that you cannot change here: `group`, or the namespace/name of a Member resource.',
      ),
    ({ grants }) => grants.find(({ source }) => source !== 'direct')?.source ?? null,
  ],
  joined_at: at(({ joinedAt }) => joinedAt),
});

const ownTeams = collection({
  noun: ['Team', 'Teams'],
  path: '/api/teams',
  id: 'team_id',
  shape: teamShape,
  list: {
    summary: "List your teams, oldest first. With an API key, list only the key's team",
    async run({ services, caller, query }) {
      if (caller.keyName === null && caller.user !== null)
        return services.rows.list('teamsOf', { user: caller.user.id }, query);
      const own = { ...found(await services.teams.find(caller.team)), role: caller.role ?? 'viewer' };
      return { items: query.page === 1 ? [own] : [], total: 1 };
    },
  },
  create: {
    summary: 'Create a team. You become its owner',
    permission: 'self',
    body: teamCreation,
    async run({ services, caller, body }) {
      if (caller.user === null) throw new ForbiddenRole("A namespace's key cannot create teams");
      const team = await createTeam(services, caller.user.id, body.name);
      return { ...team, role: 'owner' as const };
    },
    audit: ({ name, id }) => ['team.created', name, id],
  },
  update: {
    summary: 'Rename a team, or change its settings',
    permission: 'manage',
    body: teamUpdate,
    async run(call) {
      const { services, ids, body } = call;
      chooseClients(services.clientTable, body.clients ?? null);
      const team = await services.rows.change(changeTeam, { team: ids.team_id, ...body });
      if (body.name !== undefined) await audit(call, 'team.renamed', team.name);
      if (body.allowsShares !== undefined)
        await audit(call, body.allowsShares ? 'shares.allowed' : 'shares.forbidden', team.name);
      return { ...team, role: 'owner' as const };
    },
  },
  delete: {
    summary: 'Delete a team with its domains, accounts, mail and API keys',
    permission: 'manage',
    success: { description: 'Deleted', shape: deletion },
    run: ({ services, ids }) => removeTeam(services, ids.team_id, { byOwner: true }),
    // The team's audit log is deleted with it.
    audit: ({ name }, { caller: { user } }) => user && ['team.deleted', name, user.id],
  },
});

const members = collection({
  noun: ['Member', 'Members'],
  path: '/api/teams/{team_id}/members',
  id: 'user_id',
  shape: memberShape,
  list: {
    summary: "List a team's members",
    run: ({ services, ids, query }) => services.rows.list('members', { team: ids.team_id }, query),
  },
  update: {
    summary: "Change a member's role",
    permission: 'manage',
    body: memberUpdate,
    run({ services, ids: { team_id: team, user_id: user }, body: { role = 'viewer' } }) {
      return services.rows.change(changeRole, { team, user, role });
    },
    audit: ({ email, role }) => ['member.changed', `${email}: ${role}`],
  },
  delete: {
    summary: 'Remove a member, and revoke the API keys that they created in the team',
    permission: 'manage',
    success: { description: 'Removed', shape: deletion },
    run: ({ services, ids: { team_id: team, user_id: user } }) =>
      services.rows.change(removeMember, { team, user }),
    audit: ({ email }) => ['member.removed', email],
  },
});

export const teamRoutes = [...ownTeams, ...members];
