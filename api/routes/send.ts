import type { SendRequest } from '#api/read-drafts.ts';
import { untilHangUp } from '#api/request-signals.ts';
import { route } from '#api/route.ts';
import { sendRequest } from '#api/shapes/message-request.ts';
import { findSender, sendMessage } from '#core/delivery/send-message.ts';
import { Invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';

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
    async handle({ services, composer, caller, ids, ctx, receive }) {
      const sender = await findSender(services, caller.team, ids.account_id);
      const given: SendRequest = { from: sender.address };
      const signal = untilHangUp(ctx);
      const most = services.maxMessageBytes;
      const bounds = { messageBytes: most, requestBytes: most };
      await receive(async (bytes) => {
        const [made] = await composer.compose(caller.userId, { bytes, given, signal }, bounds);
        if (made === undefined) throw new Error('the reader read no message');
        if ('violations' in made) throw new Invalid(made.violations, made.limits);
        await sendMessage(services, sender, made, signal);
      });
      return undefined;
    },
  }),
];
