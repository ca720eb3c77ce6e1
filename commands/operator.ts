import { createOperator } from '#operator/operator.ts';
import type { Config } from '#setup/config.ts';
import { openServices } from '#setup/services.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { startOps } from './ops.ts';
import { requireCluster, runUntilStopped } from './process.ts';
import { workshopEntry } from './workshop-entry.ts';

/** Runs an operator. One operator at a time reconciles. One `api` or `operator` process at a time does the upkeep. */
export async function operator(config: Config): Promise<void> {
  requireCluster(config, 'operator');
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  await runUntilStopped(log, async (closing) => {
    const services = await openServices(config, log, metrics, workshopEntry);
    closing(() => services.close());
    const operator = createOperator(services);
    const ops = await startOps(
      config,
      log,
      metrics,
      () => operator.ready(),
      () => operator.isLive(),
    );
    closing(() => ops.close());
    closing(async () => {
      ops.drain();
      await operator.close();
    });
    operator.start();
    services.startUpkeep();
  });
}
