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
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
