import type { Socket } from 'node:net';
import type { BaseInput } from './input-stream.ts';

const followed = new WeakSet<Socket>();

/**
 * Closes the server's side of a socket when the client has closed its own. One that has said QUIT gets all replies before: Exim says it
 * behind a message, closes its side, and sends the message again where it misses the reply. Further calls for the same
 * socket do nothing.
 */
export function followEnd(socket: Socket, inputOf: () => BaseInput | null): void {
  if (followed.has(socket)) return;
  followed.add(socket);
  socket.allowHalfOpen = true;
  socket.once('end', () => {
    const input = inputOf();
    if (!input?.endsWithQuit || input.writableFinished) return socket.end();
    // smtp-server writes only where this is `open`.
    const readyState = { get: () => (socket.writable ? 'open' : 'closed') };
    Object.defineProperty(socket, 'readyState', readyState);
    return input.once('finish', () => socket.end());
  });
}
