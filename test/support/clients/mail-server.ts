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

/** Mail server of Debian. `prepare` writes its settings and queue into an empty folder, and returns the command that starts it. */
export type ServerKind = {
  /** Name of its package. */
  name: string;
  prepare(place: Place): { program: string; args: string[]; env: NodeJS.ProcessEnv };
};

/** `port`: on which it takes mail. `ports`: to which it sends all mail. It begins with the first one. */
export type Place = { folder: string; port: number; ports: number[] };

/** Mail server that runs. */
export type MailServer = {
  /** Hands a mail over to its queue. Returns the reply. */
  queue(from: string, to: string): Promise<string>;
  stop(): Promise<void>;
};

/** Returns the folder with the files of a package, which is not installed. */
export const filesOf = (name: string) => path.join(cache, 'sandpost/packages', name);

/** Returns the reason why a mail server cannot be started, or false. */
export function without({ name }: ServerKind): string | false {
  if (process.getuid?.() !== 0) return `${name} starts as root only`;
  return existsSync(filesOf(name)) ? false : `test/setup.sh, which fetches ${name}, was not run`;
}

/** Starts a mail server that sends all mail to these ports. Throws where it does not start. */
export async function startMailServer(kind: ServerKind, ports: number[]): Promise<MailServer> {
  // In memory: mail servers sync their queues. The folder of the tests' files is closed to their users.
  const folder = mkdtempSync(`/dev/shm/sandpost-${kind.name}-`);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const { program, args, env } = kind.prepare({ folder, port, ports });
  // A group of its own: the end of the server ends its other processes.
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

/** Tells whether something listens at a port. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
