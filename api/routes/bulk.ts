import { requireStill } from '#api/middleware/admission.ts';
import { route } from '#api/route.ts';
import { bulkOf, bulkRequest, bulkShape } from '#api/shapes/bulk.ts';
import { limits } from '#core/limits.ts';
import { changeMany } from '#core/messages/change-many.ts';

export const bulkRoutes = [
  route({
    method: 'post',
    path: '/api/messages/bulk',
    operationId: 'changeMessages',
    summary: 'Change, move or delete many messages',
    description:
      'Acts on what the list with the same `q` shows, of all your accounts, of one, or of one mailbox, or on `ids` of yours. ' +
      'Mail that comes after the first request is not touched. A request ends after 10 seconds: while `done` is false, send it ' +
      'again with the `cursor` of its answer. `matched` and `changed` count the messages of one request.',
    body: bulkRequest,
    success: { description: 'How many messages there were', shape: bulkShape },
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
];
