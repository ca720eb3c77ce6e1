import { Malformed } from '#core/errors.ts';

/** Parses a JSON body that has to be an object. Throws Malformed. */
export function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const value = parseJson(bytes);
  if (!isObject(value)) throw new Malformed('The body must be a JSON object');
  return value;
}

/**
 * Parses a body that a JsonScanner has found within its bounds. Removes names that could reach a prototype. Throws
 * Malformed.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Malformed('The body is not JSON');
  }
  if (!isWellFormed(value)) throw new Malformed('The body has half a surrogate pair');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether no string within has half a surrogate pair. Removes own properties named `__proto__` on the way. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  Reflect.deleteProperty(value, '__proto__');
  return Object.values(value).every(isWellFormed);
}
