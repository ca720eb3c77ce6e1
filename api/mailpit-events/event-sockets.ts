import { type CatcherCall, fromOwnPages, pathsOf } from '#api/catchers/route.ts';
import { isUpgrading } from '#api/http-server.ts';
import { mailpit, missing } from '#api/mailpit/dialect.ts';
import type { EventFilter } from '#core/events/event.ts';
import { MailpitFrames, missed } from './frames.ts';
import { openSocket } from './open-socket.ts';

const types: EventFilter['types'] = ['message.received', 'message.deleted', 'message.updated'];

/** Public path of Mailpit's WebSocket, where other requests get Server-Sent Events, and the path of the route that serves it. */
const publicPath = '/api/events';
const ownPath = '/api/v1/events';

export const isEventSocket = (url: string) => url.split('?', 1)[0] === publicPath;
export const socketUrl = (url: string) => `${ownPath}${url.slice(publicPath.length)}`;

const frames = new MailpitFrames();

async function answerEvents(call: CatcherCall): Promise<undefined> {
  const { ctx, caller, streams, signal } = call;
  if (!isUpgrading(ctx.req)) missing();
  await streams.follow(caller, { types, accountId: null, mailboxId: null }, null, {
    open() {
      ctx.respond = false;
      return openSocket(ctx, signal);
    },
    onEvents: (events, send) => frames.send(call, events, send, () => !ctx.res.closed),
    ...{ gap: missed, heartbeat: [], farewell: [] },
  });
}

export const mailpitEventRoutes = fromOwnPages([pathsOf(mailpit)('get', ownPath, answerEvents)]);
