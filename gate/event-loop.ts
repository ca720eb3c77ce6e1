import type { Id } from '#core/ids.ts';
import { FairQueue } from './fair-queue.ts';
import { limits } from './limits.ts';

const waiting = new FairQueue<() => void, Id>();
let armed = false;

/** Waits for a turn of the event loop. Users take turns. A turn begins no more work after `turnMs` milliseconds. */
export function turnOf(user: Id): Promise<void> {
  if (!armed) setImmediate(resume);
  armed = true;
  return new Promise((resolve) => waiting.push(user, resolve));
}

async function resume(): Promise<void> {
  const begun = performance.now();
  do {
    waiting.shift()?.();
    await untilPaused();
  } while (waiting.size > 0 && performance.now() - begun < limits.answers.turnMs);
  armed = waiting.size > 0;
  if (armed) setImmediate(resume);
}

/** Resolves when all work that is ready has paused: Node runs the queue of ticks after that of promises. */
function untilPaused(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
