import { setTimeout as pause } from 'node:timers/promises';
import type { Fullness } from '#core/delivery/delivery.ts';
import type { Cascade } from '#core/domains/cascade.ts';
import { type Checked, MxChecks } from '#core/domains/check-domains.ts';
import { finishMoves } from '#core/domains/move-domain.ts';
import type { MxResolver } from '#core/domains/mx-answer.ts';
import type { CheckPace } from '#core/domains/verdict.ts';
import { StoreFull } from '#core/errors.ts';
import type { Committed, EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { visibilityAt } from '#core/messages/retention.ts';
import type { Store } from '#core/store.ts';
import { auditDays } from '#core/teams/audit-log.ts';
import { limits } from '#gate/limits.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';

export type UpkeepPorts = {
  store: Store;
  bus: EventBus;
  mx: MxResolver;
  clock: () => Date;
  log: Log;
  metrics: Metrics;
  fullness: Pick<Fullness, 'diskRefused'>;
  mxHosts: string[];
  pace: CheckPace;
  retentionDays: number;
};

/** Longest time in which one round fills rows, ms, and the number of rows filled in one go. */
const filling = { ms: 1000, batch: 100 };

/** Number of messages removed in one transaction. Deliveries pass between two short transactions. */
const batch = 500;
const dayMs = 86_400_000;
const journalKept = { ms: dayMs, events: 10_000 };
const leaseMs = 30_000;

/**
 * Does the scheduled work until `signal` is aborted: MX checks, removal of expired messages and of soft-deleted rows,
 * unfinished moves of domains, pruning. The process that has the lease in the store works. The others wait for the lease.
 */
export async function runUpkeep(ports: UpkeepPorts, holder: string, signal: AbortSignal): Promise<void> {
  let housekeepingDue = 0;
  const mxChecks = createMxChecks(ports);
  while (!signal.aborted) {
    try {
      if (await ports.store.leases.claim('upkeep', holder, leaseMs, ports.clock())) {
        await keepingLease(ports, holder, async () => {
          await mxChecks.begin();
          await removeExpired(ports, signal);
          await removeSoftDeleted(ports, signal);
          await finishMoves({ ...ports, moves: ports.store.moves }, signal);
          await fillRows(ports, signal);
          if (Date.now() < housekeepingDue) return;
          housekeepingDue = Date.now() + 60_000;
          await keepHouse(ports);
        });
      }
    } catch (error) {
      if (error instanceof StoreFull) ports.fullness.diskRefused();
      else ports.log.error({ err: error }, 'upkeep failed; it is retried in 1 s');
    }
    await pause(1000, null, { signal }).catch(() => {});
  }
  await mxChecks.settled();
  await ports.store.leases.release('upkeep', holder).catch(() => {});
}

/** Renews the lease during a round, which may take longer than the lease when much is to be removed. */
async function keepingLease(
  { store, clock, log }: Pick<UpkeepPorts, 'store' | 'clock' | 'log'>,
  holder: string,
  work: () => Promise<void>,
): Promise<void> {
  const renew = () =>
    store.leases
      .claim('upkeep', holder, leaseMs, clock())
      .catch((err) => log.warn({ err }, 'the lease of the upkeep could not be renewed'));
  const timer = setInterval(renew, leaseMs / 3);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

/** Removes messages that are past their time. Each removal has its event. */
async function removeExpired(ports: UpkeepPorts, signal: AbortSignal): Promise<void> {
  await repeat(ports, signal, () =>
    ports.store.messages.removeExpired(visibilityAt(ports.clock(), ports.retentionDays), batch),
  );
}

/**
 * Removes the domains of deleted teams, and the messages of deleted domains, accounts and mailboxes. Each removal of a message has
 * its event.
 */
export async function removeSoftDeleted(
  ports: Pick<UpkeepPorts, 'store' | 'bus' | 'metrics'>,
  signal: AbortSignal,
): Promise<void> {
  const { store } = ports;
  if (signal.aborted) return;
  const teams = await store.teams.clearDeleted(batch);
  for (const team of teams) await deleteDomains(store, team, signal);
  await repeat(ports, signal, () => store.messages.clearDeleted(batch, signal));
  if (teams.length > 0 && !signal.aborted) await store.teams.clearDeleted(batch);
}

/** Removes soft-deleted rows as soon as there are any, one run at a time. A call during a run makes it run once more. */
export function createCascade(
  ports: Pick<UpkeepPorts, 'store' | 'bus' | 'metrics' | 'log'>,
  signal: AbortSignal,
): Cascade & { settled(): Promise<void> } {
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

/** Soft-deletes the domains of a deleted team. */
async function deleteDomains({ domains }: Store, team: Id, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { items } = await domains.list(team, {}, { page: 1, limit: 100 });
    if (items.length === 0) return;
    for (const { id } of items) await domains.softDelete(team, id, new Date());
  }
}

/** Fills rows of earlier versions for a while. Each of the rounds goes on with what is left. */
async function fillRows({ store }: Pick<UpkeepPorts, 'store'>, signal: AbortSignal): Promise<void> {
  const end = performance.now() + filling.ms;
  while (!signal.aborted && performance.now() < end) {
    if ((await store.fill(filling.batch)) === 0) return;
  }
}

async function repeat(
  { bus, metrics }: Pick<UpkeepPorts, 'bus' | 'metrics'>,
  signal: AbortSignal,
  step: () => Promise<Committed<number>[]>,
): Promise<void> {
  while (!signal.aborted) {
    const commits = await step();
    if (commits.length === 0) return;
    for (const { owner, events, result } of commits) {
      bus.announce(owner, events);
      metrics.messagesRemoved.inc(result);
    }
  }
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
    log.warn({ err }, 'the result of an MX check could not be written; the check is repeated');
  return new MxChecks(
    { domains: store.domains, mx, clock },
    mxHosts,
    pace,
    { onChecked, onError },
    limits.owned,
  );
}

async function keepHouse({ store, clock }: UpkeepPorts): Promise<void> {
  const now = clock();
  const yesterday = new Date(now.getTime() - dayMs);
  await store.journal.prune(new Date(now.getTime() - journalKept.ms), journalKept.events);
  await store.people.removeExpired(now);
  const oldest = new Date(now.getTime() - auditDays * dayMs);
  while ((await store.auditLog.prune(oldest, batch)) >= batch);
  while ((await store.messages.sweepBodies(yesterday, batch)) === batch);
}
