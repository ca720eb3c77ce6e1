import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesOf, type Place, type ServerKind } from './mail-server.ts';

const name = 'exim4-daemon-light';
/** User of Debian's build, which test/setup.sh creates. */
const user = 'Debian-exim';

/** Exim that retries every second and waits five seconds for a response. */
export const exim: ServerKind = {
  name,
  prepare(place) {
    const { folder } = place;
    // Copy: Exim executes itself as its user, who cannot read the package's folder, and clears its environment.
    const copies = path.join(folder, 'lib');
    cpSync(path.join(filesOf(name), 'usr/lib/x86_64-linux-gnu'), copies, {
      recursive: true,
      verbatimSymlinks: true,
    });
    copyFileSync(path.join(filesOf(name), 'usr/sbin/exim4'), path.join(copies, 'exim'));
    chmodSync(path.join(copies, 'exim'), 0o755);
    const script = `#!/bin/sh\nLD_LIBRARY_PATH=${copies} exec ${copies}/exim "$@"\n`;
    writeFileSync(programIn(folder), script, { mode: 0o755 });
    for (const one of ['spool', 'log']) mkdirSync(path.join(folder, one));
    execFileSync('chown', [`${user}:${user}`, 'spool', 'log'], { cwd: folder });
    const settings = path.join(folder, 'exim.conf');
    writeFileSync(settings, settingsOf(place));
    return {
      program: programIn(folder),
      args: ['-bdf', '-q1s', '-C', settings],
      env: { PATH: process.env.PATH },
    };
  },
};

const programIn = (folder: string) => path.join(folder, 'exim');

/**
 * Writes the settings (https://www.exim.org/exim-html-current/doc/html/spec_html/). A delivery keeps the daemon's user: with its
 * own settings, Exim does not become root again.
 */
const settingsOf = ({ folder, port, ports }: Place) => `
primary_hostname = sender.test
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/spool/exim.pid
exim_path = ${programIn(folder)}
deliver_drop_privilege = true
local_interfaces = 127.0.0.1.${port}
tls_advertise_hosts =
keep_environment =
acl_smtp_rcpt = taken

begin acl
taken:
  accept

begin routers
all:
  driver = manualroute
  route_list = * ${ports.map((one) => `127.0.0.1::${one}`).join(':')}
  self = send
  transport = out

begin transports
out:
  driver = smtp
  hosts_avoid_tls = *
  command_timeout = 5s

begin retry
* * F,1h,1s
`;
