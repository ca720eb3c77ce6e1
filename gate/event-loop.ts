import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { FairQueue } from './fair-queue.ts';

type User = Id | null;

/** Work that ends by itself: starting a request, writing a response. */
const work = new FairQueue<() => void, User>();
/** Streams that continue with their next piece: responses read in pieces, events, long incoming bodies. */
const pieces = new FairQueue<() => void, User>();
let armed = false;

/**
 * Waits for a turn of the event loop. Users take turns. A turn starts no more work after `turnMs` milliseconds. `continues`:
 * started work runs before the user's other work, which limits half-finished responses in memory.
 */
export function turnOf(user: User, { continues = false } = {}): Promise<void> {
  return resumption((resume) => (continues ? work.unshift(user, resume) : work.push(user, resume)));
}

/**
 * Waits for a turn of the event loop in which no other stream continues, because a piece causes more reads and writes. Users take turns.
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
  // At least one piece of work starts, however long the stream took.
  do {
    work.shift()?.();
    await untilPaused();
  } while (work.size > 0 && performance.now() - begun < limits.answers.turnMs);
  armed = work.size + pieces.size > 0;
  if (armed) setImmediate(resume);
}

/** Resolves when all ready work has paused: Node runs the tick queue after the promise queue. */
function untilPaused(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
