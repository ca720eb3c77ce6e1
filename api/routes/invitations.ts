import { audit } from '#api/context.ts';
import { route } from '#api/route.ts';
import { pageQuery } from '#api/shapes/page.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import {
  auditList,
  createdInvitation,
  invitationCreation,
  invitationList,
  invitationToken,
  shownInvitation,
  teamShape,
} from '#api/shapes/team.ts';
import { InsufficientScope, NotFound } from '#core/errors.ts';
import { findInvitation, invite, joinByInvitation } from '#core/teams/invitations.ts';
import { endInvitation } from '#core/teams/team-changes.ts';

export const invitationRoutes = [
  route({
    method: 'post',
    path: '/api/teams/{team_id}/invitations',
    operationId: 'createInvitation',
    summary: 'Invite somebody to a team',
    description: 'The address works once, for seven days, and only for the e-mail, if one is given.',
    permission: 'manage',
    body: invitationCreation,
    success: { description: 'The invitation, with its address', shape: createdInvitation },
    async handle(call) {
      const { services, caller, ids, body } = call;
      const createdBy = caller.user?.id ?? null;
      const wanted = { role: body.role, email: body.email ?? null, createdBy, latest: caller.expiresAt };
      const { invitation, token } = await invite(services, ids.team_id, caller.userId, wanted);
      await audit(call, 'invitation.created', `${invitation.email ?? 'anybody'}: ${invitation.role}`);
      return { ...invitation, token, baseUrl: services.config.baseUrl };
    },
  }),
  route({
    method: 'get',
    path: '/api/teams/{team_id}/invitations',
    operationId: 'listInvitations',
    summary: 'List the invitations that have not been accepted, the newest first',
    permission: 'manage',
    query: pageQuery,
    success: { description: 'A page of invitations', shape: invitationList },
    handle: ({ services, ids, query }) => services.invitations.list(ids.team_id, services.clock(), query),
  }),
  route({
    method: 'delete',
    path: '/api/teams/{team_id}/invitations/{invitation_id}',
    operationId: 'deleteInvitation',
    summary: 'Revoke an invitation',
    permission: 'manage',
    success: { description: 'Revoked', shape: deletion },
    async handle(call) {
      const { services, ids } = call;
      const { team_id: team, invitation_id: invitation } = ids;
      if (!(await services.rows.change(endInvitation, { team, invitation }))) throw new NotFound();
      await audit(call, 'invitation.revoked', String(ids.invitation_id));
    },
  }),
  route({
    method: 'post',
    path: '/api/invitations/show',
    operationId: 'showInvitation',
    summary: 'Read an invitation by its token',
    access: 'public',
    body: invitationToken,
    success: { description: 'What the invitation is to', shape: shownInvitation },
    handle: ({ services, body }) => findInvitation(services, body.token),
  }),
  route({
    method: 'post',
    path: '/api/invitations/accept',
    operationId: 'acceptInvitation',
    summary: 'Become a member of the team that you are invited to',
    description: 'Needs a web session.',
    permission: 'self',
    body: invitationToken,
    success: { description: 'The team', shape: teamShape },
    async handle(call) {
      const { services, caller, body } = call;
      if (caller.user === null || caller.keyName !== null)
        throw new InsufficientScope('Sign in with e-mail and password: an API key accepts no invitation');
      const team = await joinByInvitation(services, caller.user, body.token);
      await audit(call, 'member.joined', `${caller.user.email}: ${team.role}`, team.id);
      return team;
    },
  }),
  route({
    method: 'get',
    path: '/api/audit-log',
    operationId: 'listAuditLog',
    summary: 'List what was done in the team, the newest first; for its owners',
    description: 'Entries are kept for 90 days.',
    permission: 'manage',
    query: pageQuery,
    success: { description: 'A page of the audit log', shape: auditList },
    handle: ({ services, caller, query }) => services.auditLog.list(caller.team, query),
  }),
];
