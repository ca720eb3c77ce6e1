import type { Field, RequestShape } from '#api/shapes/request-shape.ts';
import { Invalid } from '#core/errors.ts';
import { nearestName } from '#setup/nearest-name.ts';

/** Parameters of all routes, which are read elsewhere. */
const shared = ['team_id'];

/** Length to which names of unknown parameters are cut in answers. */
const shownLength = 100;

/**
 * Reads the values of a query string, each given at most once. Values that count as absent are dropped. A misspelt filter would
 * match everything, so that an unknown parameter is refused by the name of the nearest one. Throws Invalid.
 */
export function readQuery<T>(querystring: string, shape: RequestShape<T> | undefined): T | null {
  if (querystring === '') return shape === undefined ? null : shape.read({});
  const parameters = new URLSearchParams(querystring);
  const fields = Object.values(shape?.fields ?? {});
  const known = fields.flatMap(({ names }) => names);
  const given = [...new Set(parameters.keys())];
  const unknown = given.filter((name) => !known.includes(name) && !shared.includes(name));
  if (unknown.length > 0) {
    const nearest = (name: string) => nearestName(name, known);
    throw new Invalid(
      unknown.map((name) => ({
        field: name.slice(0, shownLength),
        message: unknownParameter(nearest(name)),
      })),
    );
  }
  const repeated = given.filter((name) => known.includes(name) && parameters.getAll(name).length > 1);
  if (repeated.length > 0) {
    throw new Invalid(repeated.map((field) => ({ field, message: 'must be given once' })));
  }
  if (shape === undefined) return null;
  const present = [...parameters].filter(([name, value]) => !isAbsent(fields, name, value));
  return shape.read(Object.fromEntries(present));
}

function isAbsent(fields: Field<unknown>[], name: string, value: string): boolean {
  return fields.some(({ names, absent }) => absent === value && names.includes(name));
}

function unknownParameter(nearest: string | null): string {
  return nearest === null
    ? 'is unknown: this path takes no query parameters'
    : `is unknown; the nearest parameter is ${nearest}`;
}
