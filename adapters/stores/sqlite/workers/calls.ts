import { toCoreError } from '#adapters/stores/sqlite/errors.ts';
import type { WorkerThread } from './worker-thread.ts';

/** Port whose methods return their results at once, as the functions over a connection do. */
export type Sync<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

/** Methods whose results are promised. */
export type Later<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
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
  thread: WorkerThread,
  noun: string,
  names: Record<keyof Methods & string, true>,
): Later<Methods> {
  const later = Object.keys(names).map((name) => [
    name,
    (...args: unknown[]) => thread.call(noun, name, args),
  ]);
  return Object.fromEntries(later);
}
