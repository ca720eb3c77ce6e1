import { createServer } from 'node:http';
import type { StoreRoom } from '#maintenance/store-room.ts';
import type { Config } from '#setup/config.ts';
import { listen } from '#setup/listen.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { sentenceOf } from '#telemetry/redact.ts';

/** Probes and metrics of one process, on a separate port that no Service needs to expose. */
export type Ops = {
  /** Makes `/readyz` fail, so no new work is sent to this process. */
  drain(): void;
  close(): Promise<void>;
};

/**
 * Serves `/livez` (the event loop runs, and `live` returns true), `/readyz` (the process can do its work: `ready` resolves) and
 * `/metrics` (Prometheus text format), to requests whose Host passes `answers`. `room` measures the store for the last two paths.
 */
export async function startOps(
  config: Config,
  log: Log,
  metrics: Metrics,
  ready: () => Promise<void>,
  live: () => boolean = () => true,
  answers: (host: string) => boolean = () => true,
  room: () => Promise<StoreRoom | null> = async () => null,
): Promise<Ops> {
  let draining = false;
  const readiness = async (): Promise<[number, string]> => {
    if (draining) return [503, 'shutting down\n'];
    try {
      await ready();
      // The number of full accounts is unknown while the store is unreachable.
      return [200, `ok\n${notesOf(await room().catch(() => null))}`];
    } catch (error) {
      return [503, `${sentenceOf(error)}\n`];
    }
  };
  const liveness = (): [number, string] => (live() ? [200, 'ok\n'] : [503, 'stuck: restart this process\n']);
  const server = createServer(async (request, response) => {
    if (!answers(request.headers.host ?? '')) return response.writeHead(401).end();
    const path = request.url?.split('?')[0];
    if (path === '/metrics') {
      // Gauges keep their last values while the store is unreachable.
      await room().catch(() => {});
      for (const measure of metrics.measurements) await measure().catch(() => {});
      const text = await metrics.registry.metrics();
      return response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
    }
    const [status, text] =
      path === '/livez' ? liveness() : path === '/readyz' ? await readiness() : [404, 'not found\n'];
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  });
  const port = await listen(server, config.httpHost, config.opsPort, 'SANDPOST_OPS_PORT');
  log.info({ event: 'listening', what: 'ops', host: config.httpHost, port }, 'probes and metrics');
  return {
    drain() {
      draining = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns lines about full accounts or a full disk in the store. */
function notesOf(room: StoreRoom | null): string {
  if (room === null) return '';
  const { isDiskFull, fullAccounts } = room;
  const disk = isDiskFull ? "the store's disk is full: Sandpost refuses mail\n" : '';
  return fullAccounts === 0 ? disk : `${disk}full accounts, which refuse mail: ${fullAccounts}\n`;
}
