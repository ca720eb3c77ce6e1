import type { Id } from '#core/ids.ts';

/** Shortest and longest pause, ms. */
const waitMs = { least: 2, most: 200 };
/** Longest yield, and length of a pause before a retry, as multiples of the last transaction's duration. */
const yieldFactor = { shared: 2, alone: 1.4 };
const retryFactor = { least: 0.3, most: 0.7 };
/** Maximum transactions that one process runs without a gap. */
const mostInARow = 20;

/**
 * Makes processes that lock the same teams alternate. The process that has a lock would also win the next one, because it is
 * there first. So a process that sees that another had the lock yields after its own transaction, until the other has had its
 * turn. A process that nobody interrupted yields now and then, because another may wait.
 */
export function createBackOff() {
  /** Versions of teams at the end of this process's latest transaction. */
  const seen = new Map<Id, number>();
  /** Duration of the latest transaction, ms. Those of other processes are assumed to be about as long. */
  let lastMs = waitMs.least;
  let lastEnd = 0;
  let inARow = 0;
  const pauseMs = (factor: number) => Math.min(Math.max(factor * lastMs, waitMs.least), waitMs.most);
  return {
    /** Pause before the next attempt to lock, ms: shorter than a yield. */
    retryMs: () => pauseMs(retryFactor.least + (retryFactor.most - retryFactor.least) * Math.random()),
    /** Longest yield after a transaction, ms. `versions` are those of its teams, which count the transaction. */
    yieldMs(begunAt: number, endedAt: number, versions: Map<Id, number>): number {
      const shared = [...versions].some(([owner, version]) => version > (seen.get(owner) ?? version) + 1);
      for (const [owner, version] of versions) seen.set(owner, version);
      inARow = begunAt - lastEnd > lastMs ? 1 : inARow + 1;
      lastMs = endedAt - begunAt;
      lastEnd = endedAt;
      if (!shared && inARow < mostInARow) return 0;
      inARow = 0;
      return pauseMs(shared ? yieldFactor.shared : yieldFactor.alone);
    },
  };
}
