import type { RequestShape } from '#api/shapes/request-shape.ts';
import { Invalid } from '#core/errors.ts';

/** Reads the values of a query string, each given at most once. Throws Invalid. */
export function readQuery<T>(querystring: string, shape: RequestShape<T>): T {
  const parameters = new URLSearchParams(querystring);
  const names = new Set(parameters.keys());
  const repeated = [...names].filter((name) => isKnown(name, shape) && parameters.getAll(name).length > 1);
  if (repeated.length > 0) {
    throw new Invalid(repeated.map((field) => ({ field, message: 'must be given once' })));
  }
  return shape.read(Object.fromEntries(parameters));
}

function isKnown(name: string, shape: RequestShape<unknown>): boolean {
  return Object.values(shape.fields).some((field) => field.names.includes(name));
}
