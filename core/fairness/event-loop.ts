import { limits } from '#core/limits.ts';
import { FairQueue } from './fair-queue.ts';

/** User's id, or the network of a client that is not authenticated yet. */
type Party = number | string;

/** Callers that wait for a later turn of the event loop. */
const waiting = new FairQueue<() => void, Party>();
let armed = false;
let begun = 0;

/**
 * Gives undefined if the caller may work on this thread for some milliseconds at once. Otherwise gives a promise of a later
 * turn of the event loop. Parties take turns. `continues`: work that was begun goes before other work of its party.
 */
export function turnOf(party: Party, { continues = false } = {}): Promise<void> | undefined {
  arm();
  if (waiting.size === 0 && performance.now() - begun < limits.answers.turnMs) return undefined;
  return new Promise<void>((resolve) => {
    if (continues) waiting.unshift(party, resolve);
    else waiting.push(party, resolve);
  });
}

function arm(): void {
  if (armed) return;
  armed = true;
  begun = performance.now();
  setImmediate(resumeWaiting);
}

/** Resumes callers until the time of a turn is used up, in each turn of the event loop in which some wait. */
async function resumeWaiting(): Promise<void> {
  begun = performance.now();
  for (let resume = waiting.shift(); resume !== undefined; resume = waiting.shift()) {
    resume();
    await untilPaused();
    if (performance.now() - begun >= limits.answers.turnMs) break;
  }
  armed = false;
  if (waiting.size > 0) arm();
}

/** Resolves when all work that is ready has paused: the queue of ticks goes on after the promises (Node's event loop). */
function untilPaused(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
