import { NotFound } from '#core/errors.ts';

/** What a store gave, unless it gave nothing. Throws NotFound. */
export function found<T>(value: T | null): T {
  if (value === null) throw new NotFound();
  return value;
}
