import { cpus } from 'node:os';

/** Total times of all processors since the machine started, in ms. */
export type ProcessorTimes = { idle: number; all: number };

/** Shares of processor time: above `more`, a slot is added; below `fewer`, a slot is removed. */
const bounds = { more: 0.25, fewer: 0.05 };
/** Period over which the shares are measured, in ms per processor. */
const measuredMs = 2_000;
const mostMore = 2;

/** Counts slots for jobs that wait as well as work: `base`, and up to two more while processors are idle. */
export function placesWhileIdle(base: () => number, read = processorTimes): () => number {
  let before = read();
  let more = 0;
  return () => {
    const now = read();
    const all = now.all - before.all;
    if (all >= measuredMs * cpus().length) {
      const share = (now.idle - before.idle) / all;
      if (share > bounds.more) more = Math.min(more + 1, mostMore);
      if (share < bounds.fewer) more = Math.max(more - 1, 0);
      before = now;
    }
    return base() + more;
  };
}

function processorTimes(): ProcessorTimes {
  const times = cpus().map(({ times }) => times);
  const sum = (list: number[]) => list.reduce((some, one) => some + one, 0);
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.flatMap((kinds) => Object.values(kinds))),
  };
}
