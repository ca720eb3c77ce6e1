import { limits } from '#core/limits.ts';
import { Arrivals } from './arrivals.ts';
import { FairQueue } from './fair-queue.ts';

/** Resumes a caller that waits for a later turn of the event loop. */
type Resume = () => void;

/** Requests that are to be begun. */
const arrivals = new Arrivals<Resume>();
/** Work on requests, by user. */
const work = new FairQueue<Resume, number>();

let armed = false;
let begun = 0;

/**
 * Returns undefined if the caller may work on this thread for some milliseconds at once. Otherwise returns a promise of a
 * later turn of the event loop. Users take turns. `continues`: work that was begun goes before other work of its user.
 */
export function turnOf(userId: number, { continues = false } = {}): Promise<void> | undefined {
  if (mayGoOn()) return undefined;
  return new Promise<void>((resolve) => {
    if (continues) work.unshift(userId, resolve);
    else work.push(userId, resolve);
  });
}

/** Does the same for a request that is to be begun. Networks take turns, and users within a network. null: not known. */
export function turnToBegin(network: string, userId: number | null): Promise<void> | undefined {
  if (mayGoOn()) return undefined;
  return new Promise<void>((resolve) => arrivals.push(network, userId, resolve));
}

function mayGoOn(): boolean {
  arm();
  return arrivals.size + work.size === 0 && performance.now() - begun < limits.answers.turnMs;
}

function arm(): void {
  if (armed) return;
  armed = true;
  begun = performance.now();
  setImmediate(resumeCallers);
}

/**
 * Resumes one piece of work in each turn of the event loop, since it may cause reading and writing in the next one, and
 * begins requests until the time of a turn is used up.
 */
async function resumeCallers(): Promise<void> {
  begun = performance.now();
  work.shift()?.();
  await untilPaused();
  while (arrivals.size > 0 && performance.now() - begun < limits.answers.turnMs) {
    arrivals.shift()?.();
    await untilPaused();
  }
  armed = false;
  if (arrivals.size + work.size > 0) arm();
}

/** Resolves when all work that is ready has paused: the queue of ticks goes on after the promises (Node's event loop). */
function untilPaused(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
