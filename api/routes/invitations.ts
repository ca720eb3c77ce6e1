import { note } from '#api/context.ts';
import { route } from '#api/route.ts';
import { presentList } from '#api/shapes/page.ts';
import { deletion, presentDeletion } from '#api/shapes/response-shape.ts';
import {
  auditList,
  createdInvitation,
  invitationCreation,
  invitationList,
  invitationToken,
  presentAuditEntry,
  presentCreatedInvitation,
  presentInvitation,
  presentShownInvitation,
  presentTeam,
  shownInvitation,
  teamQuery,
  teamShape,
} from '#api/shapes/team.ts';
import { InsufficientScope, NotFound } from '#core/errors.ts';
import { findInvitation, invite, joinByInvitation } from '#core/teams/invitations.ts';
import { endInvitation } from '#core/teams/team-changes.ts';

const tag = 'Teams';

export const invitationRoutes = [
  route({
    method: 'post',
    path: '/api/teams/{team_id}/invitations',
    operationId: 'createInvitation',
    summary: 'Invite somebody to a team',
    description: 'The address works once, for seven days, and only for the e-mail, if one is given.',
    tag,
    access: 'identified',
    permission: 'manage',
    body: invitationCreation,
    success: { description: 'The invitation, with its address', shape: createdInvitation },
    async handle(call) {
      const { services, caller, ids, body } = call;
      const createdBy = caller.user?.id ?? null;
      const wanted = { role: body.role, email: body.email ?? null, createdBy, latest: caller.expiresAt };
      const { invitation, token } = await invite(services, ids.team_id, caller.userId, wanted);
      await note(call, 'invitation.created', `${invitation.email ?? 'anybody'}: ${invitation.role}`);
      return presentCreatedInvitation(invitation, token, services.config.baseUrl);
    },
  }),
  route({
    method: 'get',
    path: '/api/teams/{team_id}/invitations',
    operationId: 'listInvitations',
    summary: 'List the invitations that have not been accepted, the newest first',
    tag,
    access: 'identified',
    permission: 'manage',
    query: teamQuery,
    success: { description: 'A page of invitations', shape: invitationList },
    async handle({ services, ids, query }) {
      const slice = await services.invitations.list(ids.team_id, services.clock(), query);
      return presentList(slice, query, presentInvitation);
    },
  }),
  route({
    method: 'delete',
    path: '/api/teams/{team_id}/invitations/{invitation_id}',
    operationId: 'deleteInvitation',
    summary: 'Revoke an invitation',
    tag,
    access: 'identified',
    permission: 'manage',
    success: { description: 'Revoked', shape: deletion },
    async handle(call) {
      const { services, ids } = call;
      const { team_id: team, invitation_id: invitation } = ids;
      if (!(await services.people.change(endInvitation, { team, invitation }))) throw new NotFound();
      await note(call, 'invitation.revoked', String(ids.invitation_id));
      return presentDeletion(ids.invitation_id);
    },
  }),
  route({
    method: 'post',
    path: '/api/invitations/show',
    operationId: 'showInvitation',
    summary: 'Read an invitation by its token',
    tag,
    access: 'public',
    body: invitationToken,
    success: { description: 'What the invitation is to', shape: shownInvitation },
    async handle({ services, body }) {
      const { invitation, team } = await findInvitation(services, body.token);
      return presentShownInvitation(invitation, team);
    },
  }),
  route({
    method: 'post',
    path: '/api/invitations/accept',
    operationId: 'acceptInvitation',
    summary: 'Become a member of the team that you are invited to',
    description: 'Needs a web session.',
    tag,
    access: 'identified',
    permission: 'self',
    body: invitationToken,
    success: { description: 'The team', shape: teamShape },
    async handle(call) {
      const { services, caller, body } = call;
      if (caller.user === null || caller.keyName !== null)
        throw new InsufficientScope('Sign in with e-mail and password: an API key accepts no invitation');
      const team = await joinByInvitation(services, caller.user, body.token);
      await note(call, 'member.joined', `${caller.user.email}: ${team.role}`, team.id);
      return presentTeam(team);
    },
  }),
  route({
    method: 'get',
    path: '/api/audit-log',
    operationId: 'listAuditLog',
    summary: 'List what was done in the team, the newest first; for its owners',
    description: 'Entries are kept for 90 days.',
    tag,
    access: 'identified',
    permission: 'manage',
    query: teamQuery,
    success: { description: 'A page of the audit log', shape: auditList },
    handle: async ({ services, caller, query }) =>
      presentList(await services.auditLog.list(caller.team, query), query, presentAuditEntry),
  }),
];
