import type { RateWindow } from '#core/access/access.ts';

/**
 * The shared window while it answers, this process's own while it does not: what is guarded by it must be neither open
 * nor closed to everybody because Redis is away. `onFailure` hears of each call that the shared one failed.
 */
export function createAttemptWindow(shared: RateWindow, own: RateWindow, onFailure: () => void): RateWindow {
  return {
    async take(key, limit, windowMs) {
      try {
        return await shared.take(key, limit, windowMs);
      } catch {
        onFailure();
        return own.take(key, limit, windowMs);
      }
    },
    /** Which of the two counted the call is not noted: a slot means nothing to the other. */
    async giveBack(key, slot) {
      await Promise.all([shared.giveBack(key, slot).catch(onFailure), own.giveBack(key, slot)]);
    },
  };
}
