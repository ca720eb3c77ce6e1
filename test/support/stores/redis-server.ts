import { spawnSync } from 'node:child_process';
import { type BoundServer, bindServer } from './bound-server.ts';

/** Starts a real redis-server from the PATH, without persistence. `more` contains further arguments, which take precedence. */
export async function startRedis(
  more: (port: number) => string[] = () => [],
): Promise<{ url: string; server: BoundServer }> {
  const server = await bindServer('redis-server', (port, folder) => [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
    ...['--save', '', '--appendonly', 'no'],
    ...more(port),
  ]);
  await server.start();
  return { url: `redis://127.0.0.1:${server.port}`, server };
}

/** Returns why Redis tests are skipped, or false if redis-server is installed. */
export function withoutRedis(): string | false {
  const { error } = spawnSync('redis-server', ['--version'], { stdio: 'ignore' });
  return error ? 'redis-server is not installed; test/setup.sh does it' : false;
}
