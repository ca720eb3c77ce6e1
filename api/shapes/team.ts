import Joi from 'joi';
import type { Invitation, Team } from '#core/access/people.ts';
import { type Role, roles } from '#core/access/role.ts';
import type { Page } from '#core/page.ts';
import type { AuditEntry } from '#core/teams/audit-log.ts';
import { auditActions } from '#core/teams/audit-log.ts';
import { mostTeamNameCharacters } from '#core/teams/manage-teams.ts';
import type { Member, TeamOfMember } from '#core/teams/team.ts';
import { listShape, pageFields } from './page.ts';
import { requestShape } from './request-shape.ts';
import {
  instant,
  nullable,
  responseShape,
  text,
  url,
  type Wire,
  wholeNumber,
  word,
} from './response-shape.ts';
import { nameValue, presentInstant, textValue } from './values.ts';

const name = () => nameValue(1, mostTeamNameCharacters).example('Checkout');
const role = () => word<Role>(...roles).example('member');
const roleValue = () =>
  Joi.string()
    .valid(...roles)
    .example('member');
const email = () => Joi.string().example('ada@example.com');

export const teamQuery = requestShape<Page>('TeamQuery', pageFields);
export const teamCreation = requestShape<{ name: string }>('TeamCreation', {
  name: { names: ['name'], schema: name(), required: true },
});
export const teamUpdate = requestShape<{ name?: string }>(
  'TeamUpdate',
  { name: { names: ['name'], schema: name() } },
  { atLeastOne: true },
);
export const memberUpdate = requestShape<{ role?: Role }>(
  'MemberUpdate',
  { role: { names: ['role'], schema: roleValue() } },
  { atLeastOne: true },
);
export const invitationCreation = requestShape<{ role: Role; email?: string | null }>(
  'InvitationCreation',
  {
    role: { names: ['role'], schema: roleValue(), required: true },
    email: {
      names: ['email'],
      schema: Joi.string().email({ tlds: false }).max(254).allow(null).example('ada@example.com'),
    },
  },
  { example: { role: 'member', email: 'ada@example.com' } },
);
export const invitationToken = requestShape<{ token: string }>('InvitationToken', {
  token: {
    names: ['token'],
    schema: textValue(1, 2048)
      .example('Zk3vXbKq5nLr0yWc7RjB2mHs9DfEgUaPiO4tTzQ8xVM')
      .description('The token, or the whole address of the invitation.'),
    required: true,
  },
});

export const teamShape = responseShape('Team', {
  id: wholeNumber().min(1).example(3),
  name: text().example('Checkout'),
  role: role().description('Your role in the team.'),
  is_personal: Joi.boolean().example(false),
  created_at: instant(),
});
export const teamList = listShape('TeamList', teamShape);

export const memberShape = responseShape('Member', {
  user_id: wholeNumber().min(1).example(1),
  email: email(),
  role: role(),
  managed_by: nullable(Joi.string())
    .example(null)
    .description(
      'Where a role comes from that cannot be changed here: `group`, or the namespace/name of a Member resource.',
    ),
  joined_at: instant(),
});
export const memberList = listShape('MemberList', memberShape);

const invitationFields = {
  id: wholeNumber().min(1).example(5),
  role: role(),
  email: nullable(email()).description('The only e-mail that may accept it.'),
  created_at: instant(),
  expires_at: instant(),
};
export const invitationList = listShape('InvitationList', responseShape('Invitation', invitationFields));
export const createdInvitation = responseShape('CreatedInvitation', {
  ...invitationFields,
  url: url().description('For the person who is invited. Shown here and never again.'),
  token: text().description('The last part of the address.'),
});
export const shownInvitation = responseShape('ShownInvitation', {
  team_name: text().example('Checkout'),
  role: role(),
  email: nullable(email()),
  expires_at: instant(),
});

const auditEntryShape = responseShape('AuditEntry', {
  id: wholeNumber().min(1).example(9),
  at: instant(),
  actor: text().example('ada@example.com'),
  action: word(...auditActions).example('domain.deleted'),
  target: text().example('app.test'),
  remote_address: nullable(Joi.string()).example('203.0.113.7'),
});
export const auditList = listShape('AuditLog', auditEntryShape);

export function presentTeam({ id, name, role, kind, createdAt }: TeamOfMember): Wire<typeof teamShape> {
  return { id, name, role, is_personal: kind === 'personal', created_at: presentInstant(createdAt) };
}

export function presentMember({ userId, email, role, grants, joinedAt }: Member): Wire<typeof memberShape> {
  const managedBy = grants.find(({ source }) => source !== 'direct')?.source ?? null;
  return { user_id: userId, email, role, managed_by: managedBy, joined_at: presentInstant(joinedAt) };
}

export function presentInvitation({ id, role, email, createdAt, expiresAt }: Invitation) {
  const times = { created_at: presentInstant(createdAt), expires_at: presentInstant(expiresAt) };
  return { id, role, email, ...times };
}

/** Presents an invitation with its token, which no later answer has. */
export function presentCreatedInvitation(
  invitation: Invitation,
  token: string,
  baseUrl: string,
): Wire<typeof createdInvitation> {
  return { ...presentInvitation(invitation), url: `${baseUrl}/invitations/${token}`, token };
}

export function presentShownInvitation(
  { role, email, expiresAt }: Invitation,
  team: Team,
): Wire<typeof shownInvitation> {
  return { team_name: team.name, role, email, expires_at: presentInstant(expiresAt) };
}

export function presentAuditEntry({ id, at, actor, action, target: one, remoteAddress, more }: AuditEntry) {
  const target = more === undefined ? one : `and ${more} more`;
  return { id, at: presentInstant(at), actor, action, target, remote_address: remoteAddress };
}
