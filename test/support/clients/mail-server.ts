import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';
import { SmtpClient } from './smtp-client.ts';

const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');

/** Debian mail server. `prepare` writes its settings and queue into an empty folder, and returns the command that starts it. */
export type ServerKind = {
  /** Name of its package. */
  name: string;
  prepare(place: Place): { program: string; args: string[]; env: NodeJS.ProcessEnv };
};

/** `port`: where it accepts mail. `ports`: where it sends all mail, starting with the first. */
export type Place = { folder: string; port: number; ports: number[] };

/** Running mail server. */
export type MailServer = {
  /** Adds an email to its queue. Returns the reply. */
  queue(from: string, to: string): Promise<string>;
  stop(): Promise<void>;
};

/** Returns the folder with the files of a package that is not installed. */
export const filesOf = (name: string) => path.join(cache, 'sandpost/packages', name);

/** Returns the reason why a mail server cannot be started, or false. */
export function without({ name }: ServerKind): string | false {
  if (process.getuid?.() !== 0) return `${name} starts as root only`;
  return existsSync(filesOf(name)) ? false : `test/setup.sh, which fetches ${name}, was not run`;
}

/** Starts a mail server that sends all mail to these ports. Throws if it does not start. */
export async function startMailServer(kind: ServerKind, ports: number[]): Promise<MailServer> {
  // In memory, because mail servers sync their queues. The test files' folder is closed to their users.
  const folder = mkdtempSync(`/dev/shm/sandpost-${kind.name}-`);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const { program, args, env } = kind.prepare({ folder, port, ports });
  // Separate process group: the server's end also ends its other processes.
  const server = spawn(program, args, { env, detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  const end = () => server.kill('SIGTERM');
  process.once('exit', end);
  await until(async () => server.exitCode !== null || (await listens(port)));
  if (server.exitCode !== null) throw new Error(`${kind.name} did not start`);
  return {
    async queue(from, to) {
      const client = await SmtpClient.open(port);
      const reply = await client.send(from, [to], `From: ${from}\r\nSubject: Hello\r\n\r\nHello\r\n`);
      client.destroy();
      return reply;
    },
    async stop() {
      process.off('exit', end);
      end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Checks whether something listens at a port. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
