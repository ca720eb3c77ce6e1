import { execFileSync } from 'node:child_process';
import { type BoundServer, bindServer } from './bound-server.ts';

/** A real redis-server (Debian's, on the PATH) that keeps nothing on disk. `more` gives further arguments, which win. */
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

/** Tells whether there is a redis-server to start. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
