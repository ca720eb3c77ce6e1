import { Writable } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Ctx } from '#api/context.ts';
import { limits } from '#core/limits.ts';

/** Bytes that a client may send between two pings. It has nothing to say but its answer. */
const mostBytes = limits.http.publicBodyBytes;
/** Milliseconds that a client has to answer the end of a stream, and to take what was sent before. */
const endMs = 5_000;

const server = new WebSocketServer({
  ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
  ...{ maxPayload: mostBytes, closeTimeout: endMs, handleProtocols: () => false },
});

/**
 * Makes a WebSocket of the connection of a request (RFC 6455). Returns a stream of which each piece is sent as a text, or null for a
 * handshake that was refused. Frames of the client are not read. `closing` ends the socket, also where the client takes nothing.
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
      // Its end leaves the client time to answer.
      autoDestroy: false,
    });
    let received = 1;
    // A client that has not answered a ping by the next one is gone.
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
