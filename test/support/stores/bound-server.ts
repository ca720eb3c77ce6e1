import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';

/** Server for one test, in a temporary folder. Keeps its port across restarts. */
export type BoundServer = {
  port: number;
  folder: string;
  /** Starts the server, for the first time or again. Resolves when its port answers. */
  start(): Promise<void>;
  /** Ends the server and keeps its folder: `SIGKILL` for a crash, `SIGTERM` for an orderly stop. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** Suspends the server, so it answers nothing, or resumes it. */
  freeze(still: boolean): void;
  /** Ends the server and removes its folder. */
  remove(): Promise<void>;
};

/**
 * Creates a server, with its folder in `parent`, that ends with this process, however this process ends: a watcher waits until
 * its standard input closes, which this process's end causes, then kills the server and removes the folder.
 */
export async function bindServer(
  command: string,
  argsFor: (port: number, folder: string) => string[],
  parent = tmpdir(),
): Promise<BoundServer> {
  const folder = await mkdtemp(path.join(parent, 'sandpost-test-'));
  const port = await freePort();
  let server: ChildProcess | null = null;
  let watcher: ChildProcess | null = null;
  const end = async (signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT') => {
    const ended = server;
    server = null;
    if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
    const exited = once(ended, 'exit');
    ended.ref();
    ended.kill(signal);
    await exited;
  };
  return {
    port,
    folder,
    async start() {
      server = spawn(command, argsFor(port, folder), { stdio: 'ignore' });
      watcher?.kill('SIGKILL');
      watcher = watch(server, folder);
      await answering(server, port);
    },
    end,
    freeze(still) {
      server?.kill(still ? 'SIGSTOP' : 'SIGCONT');
    },
    async remove() {
      await end('SIGKILL');
      watcher?.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function watch(server: ChildProcess, folder: string): ChildProcess {
  const script = 'read _; kill -9 "$0" 2>/dev/null; rm -rf "$1"';
  const watcher = spawn('sh', ['-c', script, String(server.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.unref();
  if (watcher.stdin && 'unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') {
    watcher.stdin.unref();
  }
  server.unref();
  return watcher;
}

async function answering(server: ChildProcess, port: number): Promise<void> {
  const isUp = () => {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with ${server.exitCode}`);
    return answers(port);
  };
  await until(isUp, 120_000, 20);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
