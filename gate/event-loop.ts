import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { FairQueue } from './fair-queue.ts';

type User = Id | null;

/** Work that ends soon by itself: starting a request, writing a response. */
const work = new FairQueue<() => void, User>();
/** Streams that are about to continue with their next piece: responses that are read in pieces, events, long request bodies. */
const pieces = new FairQueue<() => void, User>();
let armed = false;

/**
 * Waits for a turn of the event loop. Users take turns. After `turnMs` milliseconds, a turn starts no more work. `continues`: this is
 * work that has already started, and it runs before the user's other work, which limits the number of unfinished responses in memory.
 */
export function turnOf(user: User, { continues = false } = {}): Promise<void> {
  return resumption((resume) => (continues ? work.unshift(user, resume) : work.push(user, resume)));
}

/**
 * Waits for a turn of the event loop in which no other stream continues, because each piece causes further reads and writes. Users take
 * turns.
 */
export function turnOfStream(user: User): Promise<void> {
  return resumption((resume) => pieces.push(user, resume));
}

function resumption(wait: (resume: () => void) => void): Promise<void> {
  if (!armed) setImmediate(resume);
  armed = true;
  return new Promise(wait);
}

async function resume(): Promise<void> {
  const begun = performance.now();
  pieces.shift()?.();
  await untilPaused();
  // Starts at least one piece of work, however long the stream took.
  do {
    work.shift()?.();
    await untilPaused();
  } while (work.size > 0 && performance.now() - begun < limits.answers.turnMs);
  armed = work.size + pieces.size > 0;
  if (armed) setImmediate(resume);
}

/** Resolves when all work that was ready has paused: Node runs the tick queue after the promise queue. */
function untilPaused(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
