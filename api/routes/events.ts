import type { Ctx } from '#api/context.ts';
import { get, type Route } from '#api/route.ts';
import { streamQuery } from '#api/shapes/event.ts';
import { invalid } from '#core/errors.ts';

export const eventRoutes: Route[] = [
  get({
    path: '/api/events',
    operationId: 'streamEvents',
    summary: 'Stream events as Server-Sent Events',
    permission: 'mail',
    description:
      'Each event has an id. Send it as `Last-Event-ID` to continue after that event. `event: resync` means that you missed events: read the lists again.',
    query: streamQuery,
    success: { description: 'The stream', contentType: 'text/event-stream' },
    async handle({ streams, caller, query: { types, accountId = null, mailboxId = null, ...query }, ctx }) {
      const filter = { types, accountId, mailboxId };
      const after = lastEventId(ctx) ?? query.lastEventId ?? null;
      if (query.once === 1) await streams.latest(ctx, caller, filter);
      else await streams.stream(ctx, caller, filter, after);
    },
  }),
];

/**
 * Reads Last-Event-ID. A browser that reconnects keeps its URL and sends its position in this header, so the header is newer than the
 * query. Throws Invalid.
 */
function lastEventId(ctx: Ctx): number | null {
  const text = ctx.get('last-event-id');
  if (text === '') return null;
  const id = Number(text);
  if (!/^[0-9]{1,16}$/.test(text) || !Number.isSafeInteger(id)) {
    throw invalid('Last-Event-ID', 'must be the id of an event');
  }
  return id;
}
