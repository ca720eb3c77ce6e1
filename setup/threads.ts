import { Thread } from '#adapters/threads/thread.ts';

export { serve } from '#adapters/threads/serve.ts';
export { serveWorkshop } from '#adapters/workshop/serve-workshop.ts';

/**
 * Returns a function that makes a value of this process at its first call, by the method `make` of a thread of its own: a process that
 * is never asked loads no libraries for it. After an error the next call tries again. `data`: `workerData` of the thread.
 */
export function madeOnce<Made>(entry: URL): (data?: unknown) => Promise<Made> {
  let made: Promise<Made> | null = null;
  return (data) => {
    made ??= new Thread({ entry, data, idleMs: 0 }).call<Made>('make', []).catch((error) => {
      made = null;
      throw error;
    });
    return made;
  };
}
