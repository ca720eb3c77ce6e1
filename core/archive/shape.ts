import { type Id, parseId } from '#core/ids.ts';

/** Reads a parsed JSON value. `at` is the value's place. Throws an error of one sentence for a value of another type. */
export type Shape<T> = (value: unknown, at: string) => T;

/** Maximum characters of a string, and maximum items of a list, in an archive. */
const most = { characters: 2_097_152, items: 1_000_000 };

function refuse(at: string, must: string): never {
  throw new Error(`${at} must be ${must}`);
}

export const id: Shape<Id> = (value, at) =>
  (typeof value === 'number' ? parseId(String(value)) : null) ?? refuse(at, 'an id');

export const count: Shape<number> = (value, at) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : refuse(at, 'a count');

export const flag: Shape<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : refuse(at, 'true or false');

export const text: Shape<string> = (value, at) =>
  typeof value === 'string' && value.length <= most.characters ? value : refuse(at, 'a text');

/** String that passes one of the program's validators. */
export const textThat =
  (isRight: (text: string) => boolean, must: string): Shape<string> =>
  (value, at) =>
    typeof value === 'string' && isRight(value) ? value : refuse(at, must);

export const date: Shape<Date> = (value, at) => {
  const time = typeof value === 'string' ? new Date(value) : null;
  return time !== null && !Number.isNaN(time.getTime()) ? time : refuse(at, 'a time');
};

export const oneOf =
  <const T extends string>(...words: readonly T[]): Shape<T> =>
  (value, at) =>
    words.find((word) => word === value) ?? refuse(at, `one of ${words.join(', ')}`);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, at) =>
    value === null ? null : shape(value, at);

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at);

export const list =
  <T>(shape: Shape<T>): Shape<T[]> =>
  (value, at) =>
    Array.isArray(value) && value.length <= most.items
      ? value.map((item, index) => shape(item, `${at}[${index}]`))
      : refuse(at, 'a list');

export type Shaped<S> = S extends Shape<infer T> ? T : never;

/** Object type in which fields that may be undefined are optional. */
type Whole<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** Object with these fields. Drops all other fields. */
export function record<T extends object>(
  fields: {
    [Name in keyof T]-?: Shape<T[Name]> | Shape<T[Name] | undefined>;
  },
): Shape<Whole<T>> {
  const shapes: [string, Shape<unknown>][] = Object.entries(fields);
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(at, 'an object');
    const given = new Map(Object.entries(value));
    const within = at.endsWith(':') ? `${at} ` : `${at}.`;
    const read = shapes.map(([name, shape]) => [name, shape(given.get(name), `${within}${name}`)] as const);
    return Object.fromEntries(read.filter(([, item]) => item !== undefined)) as Whole<T>;
  };
}
