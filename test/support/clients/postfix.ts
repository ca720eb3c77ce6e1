import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';
import { SmtpClient } from './smtp-client.ts';

const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
/** Files of Debian's package, which is not installed. */
const files = path.join(cache, 'sandpost/packages/postfix');
const daemons = path.join(files, 'usr/lib/postfix/sbin');
const libraries = path.join(files, 'usr/lib/postfix');

/** Returns the reason why Postfix cannot be started, or false. */
export const withoutPostfix =
  process.getuid?.() !== 0
    ? 'Postfix starts as root only'
    : existsSync(files)
      ? false
      : 'test/setup.sh, which fetches Postfix, was not run';

/** Postfix of its own queue and settings, which sends all mail to a list of ports in their order. */
export type Postfix = {
  /** Hands a mail over to its queue. Returns the reply. */
  queue(from: string, to: string): Promise<string>;
  stop(): Promise<void>;
};

/**
 * Starts Postfix. It tries again each second, gives an answer a second, and goes on to the next port where one fails for now.
 * Throws where it does not start.
 */
export async function startPostfix(ports: number[]): Promise<Postfix> {
  // In memory: Postfix syncs its queue. The folder of the tests' files is closed to its users.
  const folder = mkdtempSync('/dev/shm/sandpost-postfix-');
  chmodSync(folder, 0o755);
  const port = await freePort();
  writeSettings(folder, port, ports);
  writeQueue(folder);
  const settings = path.join(folder, 'etc');
  const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries, MAIL_CONFIG: settings };
  // A group of its own: the end of the master ends its daemons.
  const master = spawn(path.join(daemons, 'master'), ['-d', '-c', settings], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(master, 'exit');
  const end = () => master.kill('SIGTERM');
  process.once('exit', end);
  await until(() => master.exitCode !== null || listens(port));
  if (master.exitCode !== null) throw new Error('Postfix did not start');
  return {
    async queue(from, to) {
      const client = await SmtpClient.open(port);
      const reply = await client.send(from, [to], `From: ${from}\r\nSubject: Postfix\r\n\r\nHello\r\n`);
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

/**
 * Writes main.cf(5) and master.cf(5). The users are those of each Debian. The manager of the queue is woken each second: a mail
 * whose delivery has not quite ended when its next attempt is due waits for that.
 */
function writeSettings(folder: string, port: number, ports: number[]): void {
  const main = {
    compatibility_level: '3.6',
    queue_directory: path.join(folder, 'queue'),
    data_directory: path.join(folder, 'data'),
    command_directory: path.join(files, 'usr/sbin'),
    daemon_directory: daemons,
    shlib_directory: libraries,
    meta_directory: path.join(files, 'etc/postfix'),
    import_environment: `MAIL_CONFIG LD_LIBRARY_PATH=${libraries}`,
    maillog_file: path.join(folder, 'log'),
    maillog_file_prefixes: folder,
    mail_owner: 'mail',
    setgid_group: 'news',
    myhostname: 'sender.test',
    mydestination: '',
    alias_maps: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    relayhost: ports.map((one) => `[127.0.0.1]:${one}`).join(', '),
    queue_run_delay: '1s',
    minimal_backoff_time: '1s',
    maximal_backoff_time: '1s',
    smtp_rcpt_timeout: '1s',
  };
  const services = [
    ...[
      `127.0.0.1:${port} inet n - n - - smtpd`,
      'cleanup unix n - n - 0 cleanup',
      'qmgr unix n - n 1 1 qmgr',
    ],
    ...[
      'rewrite unix - - n - - trivial-rewrite',
      'bounce unix - - n - 0 bounce',
      'defer unix - - n - 0 bounce',
    ],
    ...['trace unix - - n - 0 bounce', 'smtp unix - - n - - smtp', 'error unix - - n - - error'],
    ...['retry unix - - n - - error', 'proxymap unix - - n - - proxymap', 'scache unix - - n - 1 scache'],
    ...[
      'tlsmgr unix - - n 1000? 1 tlsmgr',
      'anvil unix - - n - 1 anvil',
      'postlog unix-dgram n - n - 1 postlogd',
    ],
  ];
  const lines = Object.entries(main).map(([name, value]) => `${name} = ${value}`);
  mkdirSync(path.join(folder, 'etc'));
  writeFileSync(path.join(folder, 'etc/main.cf'), `${lines.join('\n')}\n`);
  writeFileSync(path.join(folder, 'etc/master.cf'), `${services.join('\n')}\n`);
}

/** Makes the folders of the queue, as the installation of Postfix does. */
function writeQueue(folder: string): void {
  mkdirSync(path.join(folder, 'queue/pid'), { recursive: true });
  const names = [
    'incoming',
    'active',
    'deferred',
    'defer',
    'bounce',
    'corrupt',
    'flush',
    'hold',
    'saved',
    'trace',
  ];
  const owned = [...names, 'private', 'public', 'maildrop'].map((name) => `queue/${name}`);
  for (const name of ['data', ...owned]) mkdirSync(path.join(folder, name), { mode: 0o700 });
  const paths = ['data', ...owned].map((name) => path.join(folder, name));
  execFileSync('chown', ['mail:news', ...paths]);
}
