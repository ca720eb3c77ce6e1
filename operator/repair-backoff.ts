import type { Announcement, EventRecorder } from './runtime/event-recorder.ts';
import { type Key, keyOf, nameOfKey, type Resource } from './runtime/resource.ts';

/** Number of consecutive repairs of a Secret, and the time before which the next repair must not begin. */
export type RepairBackoff = { repairs: number; pauseMs: number };

/** Pause in ms after a repair. It doubles with each further repair, so two programs that write the same entry do not race. */
const shortestMs = 1000;
const longestMs = 60_000;
/** Time in ms after which pauses are short again if there was no repair. */
const quietMs = 600_000;

export type Repairs = ReturnType<typeof createRepairs>;

/** Creates the record of repairs to Secrets that others had changed or deleted, by the Secrets' owners. */
export function createRepairs({ announce }: Pick<EventRecorder, 'announce'>) {
  const last = new Map<string, { repairs: number; at: number }>();
  const backoffOf = (key: Key): RepairBackoff => {
    const { repairs, at } = last.get(nameOfKey(key)) ?? { repairs: 0, at: 0 };
    const passed = performance.now() - at;
    if (repairs === 0 || passed > quietMs) return { repairs: 0, pauseMs: 0 };
    const pauseMs = Math.min(longestMs, shortestMs * 2 ** Math.min(repairs - 1, 10));
    return { repairs, pauseMs: Math.max(0, pauseMs - passed) };
  };
  return {
    backoffOf,
    /** Records and announces that a Secret was repaired. */
    async note(owner: Resource, event: Announcement): Promise<void> {
      const now = performance.now();
      const key = keyOf(owner);
      const { repairs } = backoffOf(key);
      for (const [name, { at }] of last) if (now - at > quietMs) last.delete(name);
      last.set(nameOfKey(key), { repairs: repairs + 1, at: now });
      await announce(owner, event);
    },
  };
}
