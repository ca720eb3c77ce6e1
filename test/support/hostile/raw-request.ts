import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Program } from '#test/support/program/program.ts';

/** Address of attackers. Limits by address then do not affect others. */
const attacker = '127.0.0.66';

/** Returns a JSON request's bytes. */
export function requestBytes(
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Buffer {
  const length = { 'Content-Length': `${Buffer.byteLength(body)}` };
  const fields = { Host: 'x', 'Content-Type': 'application/json', ...length, ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`),
    Buffer.from(body),
  ]);
}

/** Opens an attacker's connection, which may close at any time. */
export async function openSocket({ httpPort }: Pick<Program, 'httpPort'>, from = attacker): Promise<Socket> {
  const socket = connect({ port: httpPort, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => socket.destroy());
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** Returns the statuses of `count` responses on a connection, or of fewer if it closes earlier. */
export function statuses(socket: Socket, count: number): Promise<number[]> {
  const found: number[] = [];
  let rest = '';
  return new Promise((resolve) => {
    if (socket.closed) resolve(found);
    socket.once('close', () => resolve(found));
    socket.on('data', (piece) => {
      const text = rest + piece.toString('latin1');
      found.push(...Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g), ([, status]) => Number(status)));
      rest = text.slice(text.lastIndexOf('\n') + 1);
      if (found.length >= count) resolve(found);
    });
  });
}

/** Sends the same request repeatedly on one connection, and returns the statuses of all responses. */
export async function repeatRequest(program: Program, bytes: Buffer, times: number): Promise<number[]> {
  const all: number[] = [];
  while (all.length < times) {
    const socket = await openSocket(program);
    for (let sent = all.length; sent < times; sent += 1) socket.write(bytes);
    const found = await statuses(socket, times - all.length);
    socket.destroy();
    // A refusal closes the connection if the body was not read to its end.
    if (found.length === 0) break;
    all.push(...found);
  }
  return all;
}
