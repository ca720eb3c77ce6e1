import type { Async } from '#adapters/stores/rows/steps.ts';
import { type Methods, serve } from '#adapters/threads/serve.ts';
import { Thread } from '#adapters/threads/thread.ts';
import { Duplicate, StoreFull, StoreUnavailable } from '#core/errors.ts';

/** Port whose methods return their results synchronously, as the functions on a connection do. */
export type Sync<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

/** Runs methods on the calling thread, and translates their errors to core errors. */
export function onThisThread<Methods extends object>(methods: Methods): Async<Methods> {
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
export function onThread<Methods extends object>(
  thread: Thread,
  noun: string,
  names: Record<keyof Methods & string, true>,
): Async<Methods> {
  const later = Object.keys(names).map((name) => [
    name,
    (...args: unknown[]) => thread.call(`${noun}.${name}`, args),
  ]);
  return Object.fromEntries(later);
}

/**
 * Creates a store thread. If the thread dies, its calls fail, and the next call restarts it. `idleMs`: idle time after which the thread
 * ends and frees its memory.
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

/** Handles the calls of `onThread` in a store thread, each run through `around`. Calls `end` before the thread ends. */
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

/** SQLite's primary result codes (sqlite.org/rescode.html) that concern the disk or the file, not a statement. */
const full = 13;
const unavailable = new Set([5, 6, 7, 8, 10, 11, 14, 26]);

/** Extended result codes for a duplicate value. */
const taken = new Set([1555, 2067]);

/**
 * Translates SQLite errors: StoreFull for a full disk, Duplicate for a unique value in use, StoreUnavailable for an unusable
 * store. Returns any other error unchanged.
 */
export function toCoreError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ERR_INVALID_STATE') return new StoreUnavailable('The store is closed');
  if (error.code !== 'ERR_SQLITE_ERROR' || !('errcode' in error)) return error;
  if (taken.has(Number(error.errcode))) return new Duplicate(error.message, { cause: error });
  const primary = Number(error.errcode) & 0xff;
  if (primary === full) return new StoreFull("The store's disk is full", { cause: error });
  if (unavailable.has(primary)) {
    return new StoreUnavailable(`Sandpost cannot use the store: ${error.message}`, { cause: error });
  }
  return error;
}
