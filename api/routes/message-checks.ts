import { route } from '#api/route.ts';
import { checksQuery, checksShape } from '#api/shapes/message-checks.ts';
import { checkMessage } from '#core/checks/check-message.ts';

export const messageCheckRoutes = [
  route({
    method: 'get',
    path: '/api/messages/{message_id}/checks',
    operationId: 'checkMessage',
    summary: 'How mail clients show a message, and what readers and filters find in it',
    description:
      'By the data of caniemail.com. Lists the features of a message that a client does not support, or with notes. `spam` is the verdict of the filter of SANDPOST_SPAM_URL.',
    query: checksQuery,
    success: { description: 'The checks', shape: checksShape },
    handle: ({ services, caller, ids, query }) =>
      checkMessage(services, caller, ids.message_id, query.clients ?? null),
  }),
];
