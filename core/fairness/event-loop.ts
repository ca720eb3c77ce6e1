import { limits } from '#core/limits.ts';
import { Arrivals } from './arrivals.ts';
import { FairQueue } from './fair-queue.ts';

/** Resumes a caller that waits for a later turn of the event loop. */
type Resume = () => void;

const arrivals = new Arrivals<Resume>();
const work = new FairQueue<Resume, number>();

/**
 * The two queues, their shares of the time of a turn, and the time in ms that each had in this turn. Arrivals are short
 * and go first, but do not stop work that was begun.
 */
const lines = [
  { queue: arrivals, share: 4, spentMs: 0 },
  { queue: work, share: 1, spentMs: 0 },
];
let armed = false;
let begun = 0;

/**
 * Gives undefined if the caller may work on this thread for some milliseconds at once. Otherwise gives a promise of a later
 * turn of the event loop. Users take turns. `continues`: work that was begun goes before other work of its user.
 */
export function turnOf(userId: number, { continues = false } = {}): Promise<void> | undefined {
  if (mayGoOn()) return undefined;
  return new Promise<void>((resolve) => {
    if (continues) work.unshift(userId, resolve);
    else work.push(userId, resolve);
  });
}

/** Does the same for a request whose user is not known yet. Networks take turns, and credentials within a network. */
export function turnToBegin(network: string, credential: string): Promise<void> | undefined {
  if (mayGoOn()) return undefined;
  return new Promise<void>((resolve) => arrivals.push(network, credential, resolve));
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

/** Resumes callers until the time of a turn is used up, in each turn of the event loop in which some wait. */
async function resumeCallers(): Promise<void> {
  begun = performance.now();
  for (const line of lines) line.spentMs = 0;
  for (let line = nextLine(); line !== null; line = nextLine()) {
    const resumed = performance.now();
    line.queue.shift()?.();
    await untilPaused();
    const now = performance.now();
    line.spentMs += now - resumed;
    if (now - begun >= limits.answers.turnMs) break;
  }
  armed = false;
  if (nextLine() !== null) arm();
}

/** Gives the line that had least of its share, of those with callers. */
function nextLine(): (typeof lines)[number] | null {
  const [first = null] = lines
    .filter(({ queue }) => queue.size > 0)
    .sort((a, b) => a.spentMs / a.share - b.spentMs / b.share);
  return first;
}

/** Resolves when all work that is ready has paused: the queue of ticks goes on after the promises (Node's event loop). */
function untilPaused(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
