import { limits } from '#core/limits.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { startDns } from './dns-responder.ts';
import { callJson, type Endpoint } from './http-client.ts';
import { mailpitBinary } from './mailpit-binary.ts';
import { cpuMs } from './process-stats.ts';
import { benchSettings, startSandpostProcess } from './sandpost-process.ts';

/** Server under load: its ports, and the paths of functions that both servers have. */
export type Contender = ChildServer &
  Endpoint & {
    name: 'Sandpost' | 'Mailpit';
    /** Returns the processor time in ms that all the server's processes have used, including its database's. */
    cpuMs(): number;
    smtpPort: number;
    recipient: string;
    paths: { list: string; search(words: string): string; message(id: string): string; events: string };
  };

const recipient = 'qa@bench.test';

/** Starts Sandpost as `npm start` runs it, with high limits. Writes CPU profiles to `profileTo`, if given. */
export async function startSandpost(profileTo?: string): Promise<Contender> {
  await using started = new AsyncDisposableStack();
  const dns = await startDns();
  started.defer(() => dns.close());
  const { apiKey, env } = benchSettings(dns.address);
  const { pid, ports, stop } = await startSandpostProcess('start', { env, profileTo });
  started.defer(stop);
  const endpoint = { httpPort: ports.http, headers: { 'x-api-key': apiKey } };
  const contender = await asContender(endpoint, { pid, smtpPort: ports.smtp });
  const running = started.move();
  return { ...contender, stop: () => running.disposeAsync() };
}

/** Creates the account that receives the mail. Returns the server with the account's address and paths. */
export async function asContender(
  endpoint: Endpoint,
  { pid, smtpPort }: Pick<Contender, 'pid' | 'smtpPort'>,
): Promise<Omit<Contender, 'stop'>> {
  await openDomain(endpoint, 'bench.test');
  const { inbox } = await openAccount(endpoint, recipient);
  return {
    name: 'Sandpost',
    pid,
    cpuMs: () => cpuMs(pid),
    ...endpoint,
    smtpPort,
    recipient,
    paths: {
      list: `${inbox}?limit=50`,
      search: (words) => `${inbox}?limit=50&q=${encodeURIComponent(words)}`,
      message: (id) => `/api/messages/${id}`,
      events: '/api/events',
    },
  };
}

export async function openDomain(endpoint: Endpoint, domain: string): Promise<void> {
  await callJson(endpoint, 'POST', '/api/domains', { domain, mx_verified: true });
}

/** Creates an account without a limit. `inbox` is the path of the messages in its INBOX. */
export async function openAccount(
  endpoint: Endpoint,
  address: string,
): Promise<{ id: number; inbox: string }> {
  type Account = { id: number; mailboxes: { id: number; path: string }[] };
  const request = { address, storage_limit: limits.owned.storageBytes };
  const { id, mailboxes } = await callJson<Account>(endpoint, 'POST', '/api/accounts', request);
  const inbox = mailboxes.find(({ path }) => path === 'INBOX');
  return { id, inbox: `/api/accounts/${id}/mailboxes/${inbox?.id}/messages` };
}

/** Starts Mailpit with a database file, without a message limit, without reverse lookups. */
export async function startMailpit(): Promise<Contender> {
  const [smtpPort, httpPort] = await Promise.all([freePort(), freePort()]);
  const { server } = await startChild(
    (folder) => ({
      file: mailpitBinary(),
      args: [
        ...['--smtp', `127.0.0.1:${smtpPort}`, '--listen', `127.0.0.1:${httpPort}`],
        ...['--database', `${folder}/mailpit.db`, '--max', '0'],
        ...['--smtp-disable-rdns', '--disable-version-check'],
      ],
      env: {},
    }),
    () => isLive(`http://127.0.0.1:${httpPort}/livez`),
  );
  return {
    name: 'Mailpit',
    pid: server.pid,
    cpuMs: () => cpuMs(server.pid),
    stop: server.stop,
    headers: {},
    httpPort,
    smtpPort,
    recipient,
    paths: {
      list: '/api/v1/messages?limit=50',
      search: (words) => `/api/v1/search?limit=50&query=${encodeURIComponent(words)}`,
      message: (id) => `/api/v1/message/${id}`,
      events: '/api/events',
    },
  };
}

async function isLive(url: string): Promise<true | null> {
  const answer = await fetch(url).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok ? true : null;
}
