import { get, post } from '#api/route.ts';
import { authenticationRequest, authenticationShape } from '#api/shapes/authentication.ts';
import { linksOf, shownMessage } from '#api/shapes/message.ts';
import { checksQuery, checksShape, linksShape, transcriptShape } from '#api/shapes/message-checks.ts';
import { checkMessage } from '#core/checks/check-message.ts';
import { chosenBy } from '#core/checks/client-support.ts';
import { checkLinks } from '#core/extraction/check-links.ts';
import { limits } from '#core/limits.ts';
import { authenticateWith } from '#core/messages/assume.ts';
import { readMessage } from '#core/messages/read-message.ts';
import { transcriptOf } from '#core/messages/transcript.ts';

export const messageCheckRoutes = [
  get({
    path: '/api/messages/{message_id}/checks',
    operationId: 'checkMessage',
    summary: 'Check how mail clients display a message, and find problems in its content',
    permission: 'mail',
    description:
      'Uses data from caniemail.com. Lists the features that a client does not support, or supports with notes. `spam` is the verdict of the spam filter at SANDPOST_SPAM_URL.',
    query: checksQuery,
    success: { description: 'The checks', shape: checksShape },
    async handle({ services, caller, ids, query, signal }) {
      // A key limited to accounts cannot read its team.
      const team = caller.accountIds === null ? await services.teams.find(caller.team) : null;
      const clients = query.clients ?? chosenBy(services.clientTable, team);
      return checkMessage(services, caller, ids.message_id, clients, signal);
    },
  }),
  post({
    path: '/api/messages/{message_id}/authentication',
    operationId: 'authenticateMessage',
    summary: 'Evaluate SPF, DKIM, DMARC, ARC and the audit with values that you provide',
    description:
      'Shows whether the message would pass in production, with the client address and DNS records that you provide. Stores nothing.',
    permission: 'mail',
    body: authenticationRequest,
    success: { description: 'The results', shape: authenticationShape },
    async handle({ services, caller, ids, body }) {
      const message = await authenticateWith(services, caller.userId, caller.team, ids.message_id, body);
      return shownMessage(message, linksOf(services.config, caller));
    },
  }),
  post({
    path: '/api/messages/{message_id}/checks/links',
    operationId: 'checkLinks',
    summary: "Request a message's links",
    description:
      'Lists, but never requests, links that verify, reset, sign in, invite or unsubscribe, that name another action, or that contain a token. Returns 403 unless SANDPOST_OUTBOUND or SANDPOST_OUTBOUND_NETWORKS allows outbound requests.',
    success: { description: 'The first 100 links, in order', schema: linksShape },
    handle: ({ services, caller, ids, signal }) =>
      checkLinks(services, caller.userId, caller.team, ids.message_id, limits.outbound.links, signal),
  }),
  get({
    path: '/api/messages/{message_id}/transcript',
    operationId: 'getTranscript',
    summary: 'Read the SMTP dialogue that delivered a message',
    description:
      "Omits credentials, content and other teams' recipients. Empty for a message that did not arrive over SMTP.",
    success: { description: 'Commands and replies, in order', shape: transcriptShape },
    async handle({ services, reader, caller, ids }) {
      const { clock, retentionDays } = services;
      const ports = { messages: reader.messages, clock, retentionDays };
      return transcriptOf(await readMessage(ports, caller.team, ids.message_id), caller.team);
    },
  }),
];
