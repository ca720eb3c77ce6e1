import type { EventBus } from '#core/events/event.ts';

/** Announces events within the process immediately. A listener that throws is reported as a warning and does not affect others. */
export function createLocalBus(): EventBus {
  const listeners = new Set<Parameters<EventBus['listen']>[0]>();
  return {
    announce(team, events) {
      if (events.length === 0) return;
      for (const listener of [...listeners]) {
        try {
          listener(team, events);
        } catch (error) {
          process.emitWarning(error instanceof Error ? error : String(error));
        }
      }
    },
    listen(listener) {
      // A wrapper makes each call a separate registration, even for the same function.
      const own: typeof listener = (team, events) => listener(team, events);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
