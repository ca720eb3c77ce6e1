import type { EventBus } from '#core/events/event.ts';

/** Announces within the process, at once. A listener that throws is reported as a warning and harms no other. */
export function createLocalBus(): EventBus {
  const listeners = new Set<Parameters<EventBus['listen']>[0]>();
  return {
    announce(user, events) {
      if (events.length === 0) return;
      for (const listener of [...listeners]) {
        try {
          listener(user, events);
        } catch (error) {
          process.emitWarning(error instanceof Error ? error : String(error));
        }
      }
    },
    listen(listener) {
      // Each call is a registration of its own, of the same function too.
      const own: typeof listener = (user, events) => listener(user, events);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
