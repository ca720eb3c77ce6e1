import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { audit } from '#api/context.ts';
import { get, post } from '#api/route.ts';
import { listShape, pageQuery } from '#api/shapes/page.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import {
  answerOf,
  at,
  deletion,
  nullable,
  text,
  url,
  wholeNumber,
  word,
} from '#api/shapes/response-shape.ts';
import { textValue } from '#api/shapes/values.ts';
import type { Invitation, Team } from '#core/access/people.ts';
import type { Role } from '#core/access/role.ts';
import { InsufficientScope, NotFound } from '#core/errors.ts';
import { type AuditEntry, auditActions } from '#core/teams/audit-log.ts';
import { findInvitation, invite, joinByInvitation } from '#core/teams/invitations.ts';
import { endInvitation } from '#core/teams/team-changes.ts';
import { email, role, teamShape } from './teams.ts';

const invitationCreation = requestShape<{ role: Role; email?: string | null }>(
  'InvitationCreation',
  {
    role: role().required(),
    email: Joi.string().email({ tlds: false }).max(254).allow(null).example('ada@example.com'),
  },
  { example: { role: 'member', email: 'ada@example.com' } },
);

const invitationToken = requestShape<{ token: string }>('InvitationToken', {
  token: textValue(1, 2048)
    .example('Zk3vXbKq5nLr0yWc7RjB2mHs9DfEgUaPiO4tTzQ8xVM')
    .description("Token, or the invitation's full URL.")
    .required(),
});

export const invitationShape = answerOf<Invitation>()('Invitation', {
  id: wholeNumber().min(1).example(5),
  role: role(),
  email: nullable(email()).description('Email address of the only user who can accept.'),
  created_at: at(({ createdAt }) => createdAt),
  expires_at: at(({ expiresAt }) => expiresAt),
});

/** Invitation with its token, which only this response contains. */
export const createdInvitation = answerOf<Invitation & { token: string; baseUrl: string }>()(
  'CreatedInvitation',
  {
    ...invitationShape.fields,
    url: [
      url().description('URL for the invited person. Shown only in this response.'),
      ({ baseUrl, token }) => `${baseUrl}/invitations/${token}`,
    ],
    token: text().description('Last part of the URL.'),
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

export const auditList = listShape(auditEntryShape, 'AuditLog');

export const invitationRoutes = [
  ...collection({
    noun: ['Invitation', 'Invitations'],
    path: '/api/teams/{team_id}/invitations',
    id: 'invitation_id',
    shape: invitationShape,
    list: {
      summary: 'List invitations that have not been accepted, newest first',
      permission: 'manage',
      run: ({ services, ids, query }) =>
        services.rows.list('invitations', { team: ids.team_id, now: services.clock() }, query),
    },
    create: {
      summary: 'Invite someone to a team',
      description: 'The link works once, within seven days, and only for `email` if you set it.',
      permission: 'manage',
      body: invitationCreation,
      success: { description: 'The invitation, with its URL', shape: createdInvitation },
      async run({ services, caller, ids, body: { role, email = null } }) {
        const wanted = { role, email, createdBy: caller.user?.id ?? null, latest: caller.expiresAt };
        const { invitation, token } = await invite(services, ids.team_id, caller.userId, wanted);
        return { ...invitation, token, baseUrl: services.config.baseUrl };
      },
      audit: ({ email, role }) => ['invitation.created', `${email ?? 'anyone'}: ${role}`],
    },
    delete: {
      summary: 'Revoke an invitation',
      permission: 'manage',
      success: { description: 'Revoked', shape: deletion },
      async run({ services, ids: { team_id: team, invitation_id: invitation } }) {
        if (!(await services.rows.change(endInvitation, { team, invitation }))) throw new NotFound();
      },
      audit: (_, { ids }) => ['invitation.revoked', String(ids.invitation_id)],
    },
  }),
  post({
    path: '/api/invitations/show',
    operationId: 'showInvitation',
    summary: 'Read an invitation by its token',
    access: 'public',
    body: invitationToken,
    success: { description: 'The team that the invitation is for', shape: shownInvitation },
    handle: ({ services, body }) => findInvitation(services, body.token),
  }),
  post({
    path: '/api/invitations/accept',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation to a team',
    description: 'Needs a web session.',
    permission: 'self',
    body: invitationToken,
    success: { description: 'The team', shape: teamShape },
    async handle(call) {
      const { services, caller, body } = call;
      if (caller.user === null || caller.keyName !== null)
        throw new InsufficientScope(
          'Sign in with email and password: an API key cannot accept an invitation',
        );
      const team = await joinByInvitation(services, caller.user, body.token);
      await audit(call, 'member.joined', `${caller.user.email}: ${team.role}`, team.id);
      return team;
    },
  }),
  get({
    path: '/api/audit-log',
    operationId: 'listAuditLog',
    summary: "Read the team's audit log, newest first. Owners only",
    description: 'Sandpost keeps entries for 90 days.',
    permission: 'manage',
    query: pageQuery,
    success: { description: 'A page of the audit log', shape: auditList },
    handle: ({ services, caller, query }) => services.rows.list('auditLog', { team: caller.team }, query),
  }),
];
