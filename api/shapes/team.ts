import Joi from 'joi';
import type { Invitation, Team } from '#core/access/people.ts';
import { type Role, roles } from '#core/access/role.ts';
import type { AuditEntry } from '#core/teams/audit-log.ts';
import { auditActions } from '#core/teams/audit-log.ts';
import { mostTeamNameCharacters } from '#core/teams/manage-teams.ts';
import type { Member, TeamOfMember } from '#core/teams/team.ts';
import { listShape } from './page.ts';
import { requestShape, writeShapes } from './request-shape.ts';
import { answerOf, at, nullable, text, url, wholeNumber, word } from './response-shape.ts';
import { nameValue, textValue } from './values.ts';

const name = () => nameValue(1, mostTeamNameCharacters).example('Checkout');
const role = () => word<Role>(...roles).example('member');
const roleValue = () =>
  Joi.string()
    .valid(...roles)
    .example('member');
const email = () => Joi.string().example('ada@example.com');

export const { creation: teamCreation, update: teamUpdate } = writeShapes<{ name: string }>('Team', {
  name: name().required(),
});
export const memberUpdate = requestShape<{ role?: Role }>(
  'MemberUpdate',
  { role: roleValue() },
  { atLeastOne: true },
);
export const invitationCreation = requestShape<{ role: Role; email?: string | null }>(
  'InvitationCreation',
  {
    role: roleValue().required(),
    email: Joi.string().email({ tlds: false }).max(254).allow(null).example('ada@example.com'),
  },
  { example: { role: 'member', email: 'ada@example.com' } },
);
export const invitationToken = requestShape<{ token: string }>('InvitationToken', {
  token: textValue(1, 2048)
    .example('Zk3vXbKq5nLr0yWc7RjB2mHs9DfEgUaPiO4tTzQ8xVM')
    .description('The token, or the whole address of the invitation.')
    .required(),
});

export const teamShape = answerOf<TeamOfMember>()('Team', {
  id: wholeNumber().min(1).example(3),
  name: text().example('Checkout'),
  role: role().description('Your role in the team.'),
  is_personal: [Joi.boolean().example(false), ({ kind }) => kind === 'personal'],
  created_at: at(({ createdAt }) => createdAt),
});
export const teamList = listShape('TeamList', teamShape);

export const memberShape = answerOf<Member>()('Member', {
  user_id: wholeNumber().min(1).example(1),
  email: email(),
  role: role(),
  managed_by: [
    nullable(Joi.string())
      .example(null)
      .description(
        'Where a role comes from that cannot be changed here: `group`, or the namespace/name of a Member resource.',
      ),
    ({ grants }) => grants.find(({ source }) => source !== 'direct')?.source ?? null,
  ],
  joined_at: at(({ joinedAt }) => joinedAt),
});
export const memberList = listShape('MemberList', memberShape);

const invitationShape = answerOf<Invitation>()('Invitation', {
  id: wholeNumber().min(1).example(5),
  role: role(),
  email: nullable(email()).description('The only e-mail that may accept it.'),
  created_at: at(({ createdAt }) => createdAt),
  expires_at: at(({ expiresAt }) => expiresAt),
});
export const invitationList = listShape('InvitationList', invitationShape);

/** Invitation with its token, which no later answer has. */
export const createdInvitation = answerOf<Invitation & { token: string; baseUrl: string }>()(
  'CreatedInvitation',
  {
    ...invitationShape.fields,
    url: [
      url().description('For the person who is invited. Shown here and never again.'),
      ({ baseUrl, token }) => `${baseUrl}/invitations/${token}`,
    ],
    token: text().description('The last part of the address.'),
  },
);

export const shownInvitation = answerOf<{ invitation: Invitation; team: Team }>()('ShownInvitation', {
  team_name: [text().example('Checkout'), ({ team }) => team.name],
  role: [role(), ({ invitation }) => invitation.role],
  email: [nullable(email()), ({ invitation }) => invitation.email],
  expires_at: at(({ invitation }) => invitation.expiresAt),
});

const auditEntryShape = answerOf<AuditEntry>()('AuditEntry', {
  id: wholeNumber().min(1).example(9),
  at: at((entry) => entry.at),
  actor: text().example('ada@example.com'),
  action: word(...auditActions).example('domain.deleted'),
  target: [
    text().example('app.test'),
    ({ target, more }) => (more === undefined ? target : `and ${more} more`),
  ],
  remote_address: nullable(Joi.string()).example('203.0.113.7'),
});
export const auditList = listShape('AuditLog', auditEntryShape);
