import { route } from '#api/route.ts';
import { authenticationRequest, authenticationShape } from '#api/shapes/authentication.ts';
import { linksOf, shownMessage } from '#api/shapes/message.ts';
import { authenticateWith } from '#core/messages/assume.ts';

export const messageAuthenticationRoute = route({
  method: 'post',
  path: '/api/messages/{message_id}/authentication',
  operationId: 'authenticateMessage',
  summary: 'Tell what SPF, DKIM, DMARC, ARC and the audit would say of a message with other facts',
  description:
    'Will it pass in production? The bytes are those of the message, the client address and the DNS records are yours. Nothing is stored.',
  permission: 'read',
  body: authenticationRequest,
  success: { description: 'The results', shape: authenticationShape },
  async handle({ services, caller, ids, body }) {
    const message = await authenticateWith(services, caller.userId, caller.team, ids.message_id, body);
    return shownMessage(message, linksOf(services.config, caller));
  },
});
