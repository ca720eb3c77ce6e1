import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { TlsInfo } from '#core/messages/message.ts';
import type { BaseInput } from './input-stream.ts';

const followed = new WeakSet<Socket>();

/**
 * Closes the server's side of a socket once the client has closed its own. A client that has sent QUIT first gets all replies: Exim sends
 * QUIT after a message, closes its side, and sends the message again if it does not get the reply. Further calls for the same socket have
 * no effect.
 */
export function followEnd(socket: Socket, inputOf: () => BaseInput | null): void {
  if (followed.has(socket)) return;
  followed.add(socket);
  socket.allowHalfOpen = true;
  socket.once('end', () => {
    const input = inputOf();
    if (!input?.endsWithQuit || input.writableFinished) return socket.end();
    // smtp-server writes only if the socket's state is `open`.
    const readyState = { get: () => (socket.writable ? 'open' : 'closed') };
    Object.defineProperty(socket, 'readyState', readyState);
    return input.once('finish', () => socket.end());
  });
}

/** Returns a socket's TLS session, or null. A server name that no host can have (RFC 6066 section 3) is ignored. */
export function tlsInfoOf(socket: Socket): TlsInfo | null {
  if (!(socket instanceof TLSSocket)) return null;
  const { servername } = socket as TLSSocket & { servername?: unknown };
  const isName = typeof servername === 'string' && /^[A-Za-z0-9._-]{1,255}$/.test(servername);
  return {
    version: socket.getProtocol() ?? '',
    cipher: socket.getCipher()?.standardName ?? '',
    serverName: isName ? servername : null,
  };
}
