import type { RateWindow } from '#core/access/access.ts';

/**
 * Counts in the shared window while it answers, and in this process's own while it does not. Guarded calls are then neither
 * unlimited nor refused while Redis is unavailable. `onFailure` is called for each call that the shared window failed.
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
    /** Gives the call back to both windows. A slot is unknown to the window that did not count the call. */
    async giveBack(key, slot) {
      await Promise.all([shared.giveBack(key, slot).catch(onFailure), own.giveBack(key, slot)]);
    },
  };
}
