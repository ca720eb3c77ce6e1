import { setTimeout as pause } from 'node:timers/promises';
import type { OverflowHandler } from '#core/delivery/delivery.ts';
import { type Checked, MxChecks } from '#core/domains/check-domains.ts';
import type { Cascade } from '#core/domains/domain.ts';
import { finishMoves } from '#core/domains/move-domain.ts';
import type { CheckPace, MxResolver } from '#core/domains/verdict.ts';
import { StoreFull } from '#core/errors.ts';
import type { EventBus } from '#core/events/event.ts';
import { limits } from '#core/limits.ts';
import { visibilityAt } from '#core/messages/retention.ts';
import { refusalMs } from '#core/refusals/refusal.ts';
import type { Store, UpkeepWork } from '#core/store.ts';
import { auditDays } from '#core/teams/audit-log.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';

export type UpkeepPorts = {
  store: Store;
  bus: EventBus;
  mx: MxResolver;
  clock: () => Date;
  log: Log;
  metrics: Metrics;
  overflow: Pick<OverflowHandler, 'diskRefused'>;
  mxHosts: string[];
  pace: CheckPace;
  retentionDays: number;
};

/** Number of rows that one step handles. Deliveries run between these short transactions, and each waits for one of them. */
const batch = 100;
/** Maximum time in ms for which one round fills rows, and number of rows that one step fills. */
const filling = { ms: 1000, batch: 100 };
const dayMs = 86_400_000;
const journalKept = { ms: dayMs, events: 10_000 };
const leaseMs = 30_000;

/**
 * Performs the scheduled work until `signal` is aborted: MX checks, removal of expired messages and soft-deleted rows, unfinished domain
 * moves, pruning. Only the process that has the store's lease works; the others wait for the lease.
 */
export async function runUpkeep(ports: UpkeepPorts, holder: string, signal: AbortSignal): Promise<void> {
  let housekeepingDue = 0;
  const mxChecks = createMxChecks(ports);
  while (!signal.aborted) {
    try {
      if (await ports.store.leases.claim('upkeep', holder, leaseMs, ports.clock())) {
        await keepingLease(ports, holder, async () => {
          await mxChecks.begin();
          const visibility = visibilityAt(ports.clock(), ports.retentionDays);
          await finish(ports, { do: 'remove-expired-messages', visibility }, signal);
          await finish(ports, { do: 'remove-soft-deleted', now: ports.clock() }, signal);
          await finishMoves({ ...ports, moves: ports.store.moves }, signal);
          await finish(ports, { do: 'fill-columns' }, signal, filling);
          if (Date.now() < housekeepingDue) return;
          housekeepingDue = Date.now() + 60_000;
          for (const work of housekeeping(ports.clock())) await finish(ports, work, signal);
        });
      }
    } catch (error) {
      if (error instanceof StoreFull) ports.overflow.diskRefused();
      else ports.log.error({ err: error }, 'upkeep failed; trying again in 1 s');
    }
    await pause(1000, null, { signal }).catch(() => {});
  }
  await mxChecks.settled();
  await ports.store.leases.claim('upkeep', holder, 0, ports.clock()).catch(() => {});
}

/** Renews the lease during a round, because a round may take longer than the lease if there is much to remove. */
async function keepingLease(
  { store, clock, log }: Pick<UpkeepPorts, 'store' | 'clock' | 'log'>,
  holder: string,
  work: () => Promise<void>,
): Promise<void> {
  const renew = () =>
    store.leases
      .claim('upkeep', holder, leaseMs, clock())
      .catch((err) => log.warn({ err }, 'could not renew the upkeep lease'));
  const timer = setInterval(renew, leaseMs / 3);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

/** Work that runs once a minute. */
function housekeeping(now: Date): UpkeepWork[] {
  const ago = (ms: number) => new Date(now.getTime() - ms);
  return [
    { do: 'prune-journal', before: ago(journalKept.ms), keep: journalKept.events },
    { do: 'remove-expired-secrets', now },
    { do: 'prune-audit-log', before: ago(auditDays * dayMs) },
    { do: 'prune-refusals', before: ago(refusalMs) },
    { do: 'remove-orphan-bodies', before: ago(dayMs) },
  ];
}

/** Performs steps until nothing is left, or for up to `ms`. Announces the removal of messages. */
async function finish(
  { store, bus, metrics }: Pick<UpkeepPorts, 'store' | 'bus' | 'metrics'>,
  work: UpkeepWork,
  signal: AbortSignal,
  most = { ms: Number.POSITIVE_INFINITY, batch },
): Promise<void> {
  const end = performance.now() + most.ms;
  while (!signal.aborted && performance.now() < end) {
    const { more, removed } = await store.upkeep(work, most.batch);
    for (const { owner, events, result } of removed) {
      bus.announce(owner, events);
      metrics.messagesRemoved.inc(result);
    }
    if (!more) return;
  }
}

/** Removes soft-deleted rows as soon as there are any. Only one run is active at a time, and a call during a run causes another run. */
export function createCascade(
  ports: Pick<UpkeepPorts, 'store' | 'bus' | 'metrics' | 'log' | 'clock'>,
  signal: AbortSignal,
): Cascade & { settled(): Promise<void> } {
  let running: Promise<void> | null = null;
  let again = false;
  const run = async () => {
    do {
      again = false;
      await finish(ports, { do: 'remove-soft-deleted', now: ports.clock() }, signal);
    } while (again);
  };
  return {
    begin() {
      again = true;
      running ??= run()
        .catch((err) => ports.log.warn({ err }, 'could not remove soft-deleted rows; upkeep tries again'))
        .finally(() => {
          running = null;
        });
    },
    async settled() {
      await running;
    },
  };
}

function createMxChecks({ store, mx, clock, log, metrics, mxHosts, pace }: UpkeepPorts): MxChecks {
  const onChecked = ({ name, answer, before, after }: Checked) => {
    metrics.mxChecks.inc({ answer });
    if (before.status === after.status) return;
    log.info(
      { event: 'domain.verification', domain: name, from: before.status, to: after.status },
      after.detail ?? '',
    );
  };
  const onError = (err: unknown) =>
    log.warn({ err }, 'could not write the result of an MX check; repeating the check');
  return new MxChecks({ ...store, mx, clock }, mxHosts, pace, { onChecked, onError }, limits.owned);
}
