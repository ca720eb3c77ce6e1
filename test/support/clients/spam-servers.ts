import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type BoundServer, bindServer } from '#test/support/stores/bound-server.ts';

/** Starts spamd with its package's rules and without network queries. */
export async function startSpamd(): Promise<{ url: string; server: BoundServer }> {
  const server = await bindServer('spamd', (port, folder) => [
    ...['--local', '--nouser-config', '--max-children=1', '--syslog=null'],
    ...[`--port=${port}`, '--listen=127.0.0.1', '--allowed-ips=127.0.0.1', `--pidfile=${folder}/pid`],
  ]);
  await server.start();
  return { url: `spamd://127.0.0.1:${server.port}`, server };
}

/** Starts rspamd with one rule. Its own rules query the network, and take half a minute to load. */
export async function startRspamd(): Promise<{ url: string; server: BoundServer }> {
  const server = await bindServer('rspamd', (port, folder) => {
    mkdirSync(`${folder}/cache`, { recursive: true });
    writeFileSync(`${folder}/suffixes`, 'com\ntest\n');
    writeFileSync(
      `${folder}/rspamd.conf`,
      `options {
        pidfile = "${folder}/pid"; tempdir = "${folder}"; hs_cache_dir = "${folder}/cache";
        url_tld = "${folder}/suffixes"; filters = "regexp"; dns { nameserver = ["127.0.0.1:9"]; }
      }
      logging { type = "console"; level = "error"; }
      actions { reject = 15; }
      group "words" { symbols { "CHEAP" { weight = 3.5; description = "Subject has a word of offers"; } } }
      regexp { CHEAP = "Subject=/cheap/i"; }
      worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1; }`,
    );
    return ['--no-fork', '--insecure', '--config', `${folder}/rspamd.conf`];
  });
  await server.start();
  return { url: `http://127.0.0.1:${server.port}`, server };
}

/** Returns why a filter's tests are skipped, or false if the filter is installed. */
export function withoutFilter(command: 'spamd' | 'rspamd'): string | false {
  const { error } = spawnSync(command, ['--version'], { stdio: 'ignore' });
  return error ? `${command} is not installed; test/setup.sh does it` : false;
}

/**
 * Server for one test, which answers all connections identically after reading some bytes. `asked`: everything that each connection has
 * sent.
 */
export type OddServer = { port: number; asked: string[]; answer(socket: Socket): void; close(): void };

export async function startOddServer(): Promise<OddServer> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const at = odd.asked.push('') - 1;
    socket.on('data', (piece) => {
      odd.asked[at] += piece.toString();
    });
    socket.once('data', () => odd.answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const odd: OddServer = {
    port: (server.address() as AddressInfo).port,
    asked: [],
    answer: () => {},
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return odd;
}
