import type { Cascade } from '#core/domains/cascade.ts';
import type { EventBus } from '#core/events/event.ts';
import type { Store } from '#core/store.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { removeSoftDeleted } from './upkeep.ts';

type Ports = { store: Store; bus: EventBus; metrics: Metrics; log: Log };

/** Removes soft-deleted rows as soon as there are any, one run at a time. A call during a run makes it run once more. */
export function createCascade(ports: Ports, signal: AbortSignal): Cascade & { settled(): Promise<void> } {
  let running: Promise<void> | null = null;
  let again = false;
  const run = async () => {
    do {
      again = false;
      await removeSoftDeleted(ports, signal);
    } while (again);
  };
  return {
    begin() {
      again = true;
      running ??= run()
        .catch((err) => ports.log.warn({ err }, 'removal of soft-deleted rows failed; the upkeep retries it'))
        .finally(() => {
          running = null;
        });
    },
    async settled() {
      await running;
    },
  };
}
