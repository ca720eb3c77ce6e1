import { offsetOf, type Page, type Slice } from '#core/page.ts';
import type { CustomQueries } from './custom-queries.ts';
import type { AnyTable, Table } from './table.ts';

/** Condition on a value other than equality. */
export type Range<Value> =
  | { in: readonly Value[] }
  | { notIn: readonly Value[] }
  | { above: Value }
  | { upTo: Value }
  | { from: Value; before: Value }
  | { not: Value };

/** Conditions for rows, all of which must hold. An undefined condition is ignored. `field.part` names a part of an object. */
export type Where<Row> = {
  [Name in keyof Row]?: Row[Name] | Range<Row[Name]> | undefined;
} & { [Part in `${string & keyof Row}.${string}`]?: unknown };

type Named<Row> = string & keyof Row;
type Order<Row> = (Named<Row> | `-${Named<Row>}` | `${Named<Row>}.${string}`)[];

/** Order of rows, with `-` for a descending field, and the index that has this order: one per store if the stores' indexes differ. */
export type Options<Row> = {
  order?: Order<Row> | { sqlite: Order<Row>; mongo: Order<Row> };
} & Part;

type Part = {
  hint?: { sqlite: string; mongo?: Record<string, 1> };
  limit?: number;
  offset?: number;
};

export type AnyOptions = { order?: string[] | { sqlite: string[]; mongo: string[] } } & Part;

/** Operation on rows. A store's driver runs it. */
export type Step =
  | { do: 'find' | 'page'; table: AnyTable; where: object; options: AnyOptions }
  | { do: 'count' | 'remove'; table: AnyTable; where: object }
  | { do: 'insert'; table: AnyTable; rows: object[] }
  | { do: 'put'; table: AnyTable; row: object; keep: readonly string[] }
  | { do: 'set'; table: AnyTable; where: object; values: object; added: Record<string, number> }
  | { do: keyof CustomQueries; args: unknown[] };

/** Work on rows in steps, independent of the store. The driver returns each step's result. */
export type Steps<Result> = Generator<Step, Result, unknown>;

/** Port whose methods work in steps. */
export type InSteps<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Steps<Result>
    : never;
};

export type Async<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};

export function* all<Row, Shown>(
  table: Table<Row, Shown>,
  where: Where<Row>,
  options: Options<Row> = {},
): Steps<Shown[]> {
  return (yield { do: 'find', table, where, options }) as Shown[];
}

export function* one<Row, Shown>(table: Table<Row, Shown>, where: Where<Row>): Steps<Shown | null> {
  const [row = null] = yield* all(table, where, { limit: 1 });
  return row;
}

/** Reads a page of the rows that meet the conditions, and counts all of them. */
export function* pageOf<Row, Shown, Item>(
  table: Table<Row, Shown>,
  where: Where<Row>,
  page: Page,
  options: Options<Row>,
  toItem: (row: Shown) => Item,
): Steps<Slice<Item>> {
  const part = { ...options, limit: page.limit, offset: offsetOf(page) };
  const { items, total } = (yield { do: 'page', table, where, options: part }) as Slice<Shown>;
  return { items: items.map(toItem), total };
}

export function* count<Row, Shown>(table: Table<Row, Shown>, where: Where<Row>): Steps<number> {
  return (yield { do: 'count', table, where }) as number;
}

export function* insert<Row, Shown>(table: Table<Row, Shown>, ...rows: (Row & object)[]): Steps<void> {
  if (rows.length > 0) yield { do: 'insert', table, rows };
}

/** Inserts a row, or replaces the row with the same key. Keeps the old values of the fields in `keep`. */
export function* put<Row, Shown>(
  table: Table<Row, Shown>,
  row: Row & object,
  keep: Named<Row>[] = [],
): Steps<void> {
  yield { do: 'put', table, row, keep };
}

/** Sets values in rows, and increases numbers. Returns how many rows matched. */
export function* set<Row, Shown>(
  table: Table<Row, Shown>,
  where: Where<Row>,
  values: { [Name in keyof Row]?: Row[Name] | undefined },
  added: { [Name in keyof Row]?: number } = {},
): Steps<number> {
  return (yield { do: 'set', table, where, values, added: { ...added } as Record<string, number> }) as number;
}

/** Removes rows. Requires at least one condition. */
export function* remove<Row, Shown>(table: Table<Row, Shown>, where: Where<Row>): Steps<void> {
  if (Object.values(where).every((value) => value === undefined))
    throw new TypeError('a removal requires a condition');
  yield { do: 'remove', table, where };
}

/** Runs a handwritten operation of each store. */
export function* customQuery<Name extends keyof CustomQueries>(
  name: Name,
  ...args: Parameters<CustomQueries[Name]>
): Steps<ReturnType<CustomQueries[Name]>> {
  return (yield { do: name, args }) as ReturnType<CustomQueries[Name]>;
}

export function runSync<Result>(steps: Steps<Result>, run: (step: Step) => unknown): Result {
  let next = steps.next();
  while (next.done !== true) next = steps.next(run(next.value));
  return next.value;
}

export async function runAsync<Result>(
  steps: Steps<Result>,
  run: (step: Step) => Promise<unknown>,
): Promise<Result> {
  let next = steps.next();
  while (next.done !== true) next = steps.next(await run(next.value));
  return next.value;
}

/** Binds a port's methods to a function that runs their steps. */
export function bound<Methods extends Record<string, (...args: never[]) => Steps<unknown>>>(
  methods: Methods,
  run: (steps: Steps<unknown>) => unknown,
): Record<keyof Methods, (...args: never[]) => unknown> {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => run(method(...args)),
  ]);
  return Object.fromEntries(entries);
}
