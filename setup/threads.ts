import { Thread } from '#adapters/threads/thread.ts';

export { serve } from '#adapters/threads/serve.ts';
export { serveWorkshop } from '#adapters/workshop/serve-workshop.ts';

/**
 * Returns a function that, when first called, creates this process's only instance of a value, with the method `make` in a separate
 * thread. A process that never needs the value thus loads no libraries for it. If creation fails, the next call tries again. `data`: the
 * thread's `workerData`.
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
