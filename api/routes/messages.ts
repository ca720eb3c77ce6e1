import { requireStill } from '#api/middleware/admission.ts';
import type { SendRequest } from '#api/read-drafts.ts';
import { untilHangUp } from '#api/request-signals.ts';
import { del, get, post, put, route } from '#api/route.ts';
import { bulkOf, bulkRequest, bulkShape } from '#api/shapes/bulk.ts';
import { linksOf, messageRevision, messageShape, shownMessage } from '#api/shapes/message.ts';
import { messageUpdate, moveRequest, sendRequest } from '#api/shapes/message-request.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import { findSender, sendMessage } from '#core/delivery/send-message.ts';
import { Invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { changeMany } from '#core/messages/change-many.ts';
import { changeMessage, deleteMessage, moveMessage } from '#core/messages/change-message.ts';
import { readMessage } from '#core/messages/read-message.ts';
import { traceOf } from '#core/messages/trace-context.ts';

const success = { description: 'The message', shape: messageShape };

const update = <M extends 'patch' | 'put'>(method: M, operationId: string) =>
  route({
    method,
    path: '/api/messages/{message_id}',
    operationId,
    summary: "Change a message's read state, flag, expiration, auto-delete or tags",
    body: messageUpdate,
    success,
    handle: async ({ services, caller, ids, body }) =>
      shownMessage(
        await changeMessage(services, caller.team, ids.message_id, body),
        linksOf(services.config, caller),
      ),
  });

export const messageRoutes = [
  post({
    path: '/api/messages/bulk',
    operationId: 'changeMessages',
    summary: 'Change, move or delete many messages',
    description:
      'Changes the messages in `ids`, or those that `q` lists in all your accounts, in one account or in one mailbox. ' +
      'Mail that arrives after the first request stays unchanged. Each request ends after 10 seconds. While `done` is false, send ' +
      'the request again with the `cursor` from its response. `matched` and `changed` count one request.',
    body: bulkRequest,
    success: { description: 'Counts of matched and changed messages', shape: bulkShape },
    async handle({ services, bulkChanges, caller, body, ctx, signal }) {
      const { selection, action } = bulkOf(body);
      return bulkChanges(String(caller.userId), () => {
        const until = performance.now() + limits.answers.bulkMs;
        const terms = {
          user: caller.userId,
          signal,
          isOver: () => performance.now() >= until,
          proceed: () => requireStill(services, ctx, 'write'),
        };
        return changeMany(services, caller.team, selection, action, body.cursor ?? null, terms);
      });
    },
  }),
  get({
    path: '/api/messages/{message_id}',
    operationId: 'getMessage',
    summary: 'Read a message with its headers, bodies, attachments and check results',
    permission: 'mail',
    success,
    async handle({ services, reader, caller, ids, ctx }) {
      const { clock, retentionDays } = services;
      const ports = { messages: reader.messages, clock, retentionDays };
      const message = await readMessage(ports, caller.team, ids.message_id);
      const links = linksOf(services.config, caller);
      ctx.state.revision = messageRevision(message, links);
      return shownMessage(message, links);
    },
  }),
  update('patch', 'updateMessage'),
  update('put', 'replaceMessage'),
  del({
    path: '/api/messages/{message_id}',
    operationId: 'deleteMessage',
    summary: 'Delete a message',
    success: { description: 'Deleted', shape: deletion },
    handle: ({ services, caller, ids }) => deleteMessage(services, caller.team, ids.message_id),
  }),
  put({
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages/{message_id}/move',
    operationId: 'moveMessage',
    summary: 'Move a message to another mailbox in its account',
    body: moveRequest,
    success,
    async handle({ services, caller, ids, body }) {
      const place = { accountId: ids.account_id, mailboxId: ids.mailbox_id };
      const moved = await moveMessage(services, caller.team, ids.message_id, body.mailboxId, place);
      return shownMessage(moved, linksOf(services.config, caller));
    },
  }),
];

export const sendRoutes = [
  post({
    path: '/api/accounts/{account_id}/messages/send',
    operationId: 'sendMessage',
    summary: 'Send from an account to addresses on your own domains',
    description:
      'Either all recipients receive the message, or none do. Sandpost stores a copy, marked as read, in Sent.',
    permission: 'send',
    lateBody: {
      shape: sendRequest,
      most: (config) => Math.min(config.maxMessageBytes, limits.http.sendBodyBytes),
    },
    success: { description: 'Delivered', status: 204 },
    async handle({ services, caller, ids, ctx, receive }) {
      const sender = await findSender(services, caller.team, ids.account_id);
      const given: SendRequest = { from: sender.address };
      const requester = { user: caller.userId, signal: untilHangUp(ctx) };
      const most = services.maxMessageBytes;
      const bounds = { messageBytes: most, requestBytes: most };
      await receive(async (bytes) => {
        const [made] = await services.composeDrafts(requester, bytes, given, bounds);
        if (made === undefined) throw new Error('the reader read no message');
        if ('violations' in made) throw new Invalid(made.violations, made.limits);
        await sendMessage(services, sender, made, requester.signal, traceOf([ctx.get('traceparent')]));
      });
    },
  }),
];
