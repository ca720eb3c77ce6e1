import type { Later } from '#adapters/stores/rows/steps.ts';
import { toCoreError } from '#adapters/stores/sqlite/errors.ts';
import { type Methods, serve } from '#adapters/threads/serve.ts';
import { Thread } from '#adapters/threads/thread.ts';
import { StoreUnavailable } from '#core/errors.ts';

/** Port whose methods return their results at once, as the functions over a connection do. */
export type Sync<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

/** Runs methods on the calling thread, and translates their errors to those of the core. */
export function here<Methods extends object>(methods: Methods): Later<Methods> {
  const later = Object.entries(methods).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return method(...args);
      } catch (error) {
        throw toCoreError(error);
      }
    },
  ]);
  return Object.fromEntries(later);
}

/** Runs methods of `noun` in a thread. `names` lists all of them. */
export function there<Methods extends object>(
  thread: Thread,
  noun: string,
  names: Record<keyof Methods & string, true>,
): Later<Methods> {
  const later = Object.keys(names).map((name) => [
    name,
    (...args: unknown[]) => thread.call(`${noun}.${name}`, args),
  ]);
  return Object.fromEntries(later);
}

/**
 * Creates a thread of the store. If it dies, its calls fail, and the next call starts it anew. `idleMs`: time without a call after which
 * it ends and frees its memory.
 */
export function storeThread(entry: URL, file: string, idleMs?: number): Thread {
  return new Thread({
    entry,
    data: { file },
    ...(idleMs !== undefined && { idleMs }),
    lost: ({ kind, cause }) =>
      new StoreUnavailable(kind === 'stopped' ? 'The store is closed' : 'A store thread ended', {
        cause,
      }),
  });
}

/** Answers the calls of `there` in a thread of the store, each run through `around`. Calls `end` before the thread ends. */
export function serveStore(
  nouns: Record<string, Methods>,
  around: (work: () => unknown) => unknown,
  end: () => void,
): void {
  const methods = Object.entries(nouns).flatMap(([noun, named]) =>
    Object.entries(named).map(([name, run]) => [
      `${noun}.${name}`,
      (...args: never[]) => {
        try {
          return around(() => run(...args));
        } catch (error) {
          throw toCoreError(error);
        }
      },
    ]),
  );
  serve(Object.fromEntries(methods), { end });
}
