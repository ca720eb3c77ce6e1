import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Returns a GET request's bytes. */
export function getRequest(path: string, key: string, headers: Record<string, string> = {}): string {
  const fields = Object.entries({ host: 'x', 'x-api-key': key, ...headers });
  return `GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Opens a connection that sends these bytes and reads nothing. */
export async function openUnreadSocket(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

/** Counts the bytes of the responses to a request, read as fast as possible until the connection closes. */
export async function drain(port: number, bytes: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let length = 0;
  socket.on('data', (piece) => {
    length += piece.length;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return length;
}
