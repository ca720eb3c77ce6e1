import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { TlsInfo } from '#core/messages/message.ts';

/** Returns the TLS session of a socket, or null. A name that no host can have (RFC 6066 section 3) counts as none. */
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
