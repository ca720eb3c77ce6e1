import { Writable } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type CatcherCall, fromOwnPages, pathsOf } from '#api/catchers/route.ts';
import type { Ctx } from '#api/context.ts';
import { isUpgrading } from '#api/http-server.ts';
import { mailpit, missing } from '#api/mailpit/dialect.ts';
import type { EventFilter } from '#core/events/event.ts';
import { limits } from '#core/limits.ts';
import { MailpitFrames, missed } from './frames.ts';

/** Maximum bytes that a client may send between two pings. Only pong frames are needed. */
const mostBytes = limits.http.publicBodyBytes;
/** Time in ms in which a client must respond to a stream's end, and read what was sent before. */
const endMs = 5_000;

const server = new WebSocketServer({
  ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
  ...{ maxPayload: mostBytes, closeTimeout: endMs, handleProtocols: () => false },
});

/**
 * Turns a request's connection into a WebSocket (RFC 6455). Returns a stream that sends each piece as a text frame, or null for a refused
 * handshake. The client's frames are not read. `closing` ends the socket, even if the client reads nothing.
 */
export function openSocket({ req, res }: Ctx, closing: AbortSignal): Writable | null {
  res.statusCode = 101;
  let stream: Writable | null = null;
  server.handleUpgrade(req, req.socket, Buffer.alloc(0), (socket) => {
    const opened = new Writable({
      // A failure closes the socket.
      write: (frame: Buffer, _, written) => socket.send(frame, { binary: false }, () => written()),
      final(done) {
        socket.close();
        done();
      },
      // Ending the stream leaves the client time to respond.
      autoDestroy: false,
    });
    let received = 1;
    // A client that has not responded to a ping by the next one is gone.
    const timer = setInterval(() => {
      if (received === 0) socket.terminate();
      else socket.ping();
      received = 0;
    }, limits.answers.unreadMs);
    req.socket.on('data', ({ length }: Buffer) => {
      received += length;
      if (received > mostBytes) socket.terminate();
    });
    closing.addEventListener('abort', () => setTimeout(() => socket.terminate(), endMs).unref());
    opened.on('close', () => socket.terminate());
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearInterval(timer);
      opened.destroy();
    });
    stream = opened;
  });
  return stream;
}

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
