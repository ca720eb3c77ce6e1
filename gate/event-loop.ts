import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { FairQueue } from './fair-queue.ts';

type User = Id | null;

/** Work that ends by itself: a request that is begun, an answer that is written. */
const work = new FairQueue<() => void, User>();
/** Streams that go on with their next piece: answers that are read in pieces, events, long bodies that arrive. */
const pieces = new FairQueue<() => void, User>();
let armed = false;

/**
 * Waits for a turn of the event loop. Users take turns. A turn begins no more work after `turnMs` milliseconds. `continues`:
 * work that was begun goes before other work of its user, so that few half-made answers are in memory.
 */
export function turnOf(user: User, { continues = false } = {}): Promise<void> {
  return resumption((resume) => (continues ? work.unshift(user, resume) : work.push(user, resume)));
}

/**
 * Waits for a turn of the event loop in which no other stream goes on, since a piece causes more reading and writing. Users
 * take turns.
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
  // At least one piece of work begins, however long the stream took.
  do {
    work.shift()?.();
    await untilPaused();
  } while (work.size > 0 && performance.now() - begun < limits.answers.turnMs);
  armed = work.size + pieces.size > 0;
  if (armed) setImmediate(resume);
}

/** Resolves when all work that is ready has paused: Node runs the queue of ticks after that of promises. */
function untilPaused(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
