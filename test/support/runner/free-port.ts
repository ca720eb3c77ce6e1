import { once } from 'node:events';
import { createServer } from 'node:net';

const given = new Set<number>();

/**
 * Finds a free port below the range of outgoing connections. Otherwise an outgoing connection could take the port before the
 * server starts, or while a server that keeps its port restarts.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error('No port is free');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
