import { route } from '#api/route.ts';
import { sendRequest } from '#api/shapes/message-request.ts';
import { sendMessage } from '#core/delivery/send-message.ts';

export const sendRoutes = [
  route({
    method: 'post',
    path: '/api/accounts/{account_id}/messages/send',
    operationId: 'sendMessage',
    summary: 'Send from an account to addresses on your own domains',
    description: 'All or nothing; a copy, read, goes to Sent.',
    tag: 'Messages',
    access: 'identified',
    body: sendRequest,
    bodyLimit: (config) => config.maxMessageBytes,
    success: { description: 'Delivered', status: 204 },
    async handle({ services, caller, ids, body: { text = null, html = null, ...body } }) {
      await sendMessage(services, caller.id, ids.account_id, { ...body, text, html });
      return undefined;
    },
  }),
];
