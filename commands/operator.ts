import type { Config } from '#core/config.ts';
import { createLog } from '#core/log.ts';
import { createMetrics } from '#core/metrics.ts';
import { openServices } from '#core/services.ts';
import { createOperator } from '#operator/operator.ts';
import { runUntilStopped } from './lifecycle.ts';
import { startOps } from './ops.ts';
import { requireCluster } from './process.ts';

/** Runs an operator. One operator at a time reconciles. One `api` or `operator` process at a time does the upkeep. */
export async function operator(config: Config): Promise<void> {
  requireCluster(config, 'operator');
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  await runUntilStopped(log, async (closing) => {
    const services = await openServices(config, log, metrics);
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
