import type { Ctx } from '#api/context.ts';
import type { EventStreams } from '#api/event-stream.ts';
import { type Route, route } from '#api/route.ts';
import { streamQuery } from '#api/shapes/event.ts';
import { invalid } from '#core/errors.ts';

/** The stream of events, one for each process. */
export function eventRoutes(streams: EventStreams): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/events',
      operationId: 'streamEvents',
      summary: 'Follow what happens, as Server-Sent Events',
      description:
        'Each event has an id; `Last-Event-ID` goes on after one. `event: resync` says that events were missed: read lists anew.',
      tag: 'Events',
      access: 'identified',
      query: streamQuery,
      success: { description: 'The stream', contentType: 'text/event-stream' },
      async handle({ caller, query: { types, accountId = null, mailboxId = null, ...query }, ctx }) {
        const filter = { types, accountId, mailboxId };
        const after = lastEventId(ctx) ?? query.lastEventId ?? null;
        if (query.once === 1) await streams.latest(ctx, caller, filter);
        else await streams.stream(ctx, caller, filter, after);
        return undefined;
      },
    }),
  ];
}

/** A browser that comes back keeps its URL and tells its place in this header, so that the header is the newer. */
function lastEventId(ctx: Ctx): number | null {
  const text = ctx.get('last-event-id');
  if (text === '') return null;
  const id = Number(text);
  if (!/^[0-9]{1,16}$/.test(text) || !Number.isSafeInteger(id)) {
    throw invalid('Last-Event-ID', 'must be the id of an event');
  }
  return id;
}
