import { bootstrap } from '#core/access/bootstrap.ts';
import { type Config, ConfigError } from '#core/config.ts';
import { createLog } from '#core/log.ts';
import { createMetrics } from '#core/metrics.ts';
import { openServices, type Services } from '#core/services.ts';
import { runUntilStopped } from './lifecycle.ts';
import { startOps } from './ops.ts';

/** A listener of a process: what it is called in the log, and how it is made. */
export type Part = {
  what: 'http' | 'smtp';
  note: string;
  create(services: Services): { listen(): Promise<number>; close(): Promise<void> };
};

/**
 * Runs a process until it is told to stop: the store and what goes with it, probes, the listeners, and, where it is
 * asked for, the upkeep. On SIGTERM readiness fails first, then the listeners close side by side, then the rest.
 */
export async function runProcess(
  config: Config,
  parts: Part[],
  { upkeep }: { upkeep: boolean },
): Promise<void> {
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  await runUntilStopped(log, async (closing) => {
    const services = await openServices(config, log, metrics);
    closing(() => services.close());
    if (config.bootstrap) await bootstrap(services, config.bootstrap);
    const ops = await startOps(config, log, metrics, () => services.store.ping());
    closing(() => ops.close());

    const listeners = parts.map((part) => ({ ...part, listener: part.create(services) }));
    closing(async () => {
      ops.drain();
      await Promise.all(listeners.map(({ listener }) => listener.close()));
    });
    for (const { what, note, listener } of listeners) {
      const host = what === 'http' ? config.httpHost : config.smtpHost;
      log.info({ event: 'listening', what, host, port: await listener.listen() }, note);
    }
    if (upkeep) services.startUpkeep();
  });
}

/** Processes that share nothing but a store need one that can be shared. Throws ConfigError. */
export function requireCluster({ cluster }: Config, command: string): void {
  if (cluster !== null) return;
  throw new ConfigError(
    `sandpost ${command} needs SANDPOST_MONGODB_URI and SANDPOST_REDIS_URL; without them, sandpost start does everything`,
  );
}
