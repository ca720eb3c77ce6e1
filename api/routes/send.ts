import { untilHangUp } from '#api/request-signals.ts';
import { route } from '#api/route.ts';
import { sendRequest } from '#api/shapes/message-request.ts';
import { findSender, sendMessage } from '#core/delivery/send-message.ts';
import { limits } from '#core/limits.ts';

const reader = new URL('../draft-reader.ts', import.meta.url);

export const sendRoutes = [
  route({
    method: 'post',
    path: '/api/accounts/{account_id}/messages/send',
    operationId: 'sendMessage',
    summary: 'Send from an account to addresses on your own domains',
    description: 'All or nothing; a copy, read, goes to Sent.',
    tag: 'Messages',
    access: 'identified',
    permission: 'send',
    lateBody: {
      shape: sendRequest,
      most: (config) => Math.min(config.maxMessageBytes, limits.http.sendBodyBytes),
    },
    success: { description: 'Delivered', status: 204 },
    async handle({ services, caller, ids, ctx, receive }) {
      const sender = await findSender(services, caller.team, ids.account_id);
      const given = { from: sender.address };
      const signal = untilHangUp(ctx);
      await receive((bytes) =>
        sendMessage(services, caller.userId, sender, { bytes, reader, given, signal }),
      );
      return undefined;
    },
  }),
];
