import { NotFound } from '#core/errors.ts';

/** Returns the value that a store found. Throws NotFound for null. */
export function found<T>(value: T | null): T {
  if (value === null) throw new NotFound();
  return value;
}
