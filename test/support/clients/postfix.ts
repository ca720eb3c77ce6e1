import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesOf, type Place, type ServerKind } from './mail-server.ts';

const files = filesOf('postfix');
const daemons = path.join(files, 'usr/lib/postfix/sbin');
const libraries = path.join(files, 'usr/lib/postfix');

/** Postfix that retries every second, waits five seconds for a response, and continues with the next port after a temporary failure. */
export const postfix: ServerKind = {
  name: 'postfix',
  prepare(place) {
    writeSettings(place);
    writeQueue(place.folder);
    const settings = path.join(place.folder, 'etc');
    const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries, MAIL_CONFIG: settings };
    return { program: path.join(daemons, 'master'), args: ['-d', '-c', settings], env };
  },
};

/**
 * Writes main.cf(5) and master.cf(5). The users exist on every Debian system. The queue manager is woken every second: an email
 * whose delivery has not quite ended when its next attempt is due waits for that.
 */
function writeSettings({ folder, port, ports }: Place): void {
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
    smtp_rcpt_timeout: '5s',
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

/** Creates the queue's folders, as Postfix's installation does. */
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
