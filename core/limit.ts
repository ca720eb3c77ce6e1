/**
 * Bound on an input or a resource. `per` names the things that are counted together. `beyond` is the behaviour at the bound.
 * `counted` is true where the metric counts each time that the bound is reached.
 */
export type Limit = {
  value: number;
  unit: Unit;
  per: string;
  what: string;
  beyond: string;
  counted: boolean;
};

type Unit = 'bytes' | 'characters' | 'items' | 'ms' | 'a minute' | 'an hour';

type Text = [per: string, what: string, beyond: string];

/** Creates a bound at which something is refused, cut or given up. */
export function limit(value: number, unit: Unit, ...[per, what, beyond]: Text) {
  return { value, unit, per, what, beyond, counted: true } as const;
}

/** Creates a bound on the pace of work, or a time. Cuts nothing, except at the end of the process. */
export function pace(value: number, unit: Unit, ...[per, what, beyond]: Text) {
  return { value, unit, per, what, beyond, counted: false } as const;
}

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;

type Counted<S> = { [N in keyof S]: S[N] extends { counted: true } ? N : never }[keyof S];

/** Names of the counted limits of a table, as `http.recipients`. */
export type NamesIn<Table> = {
  [S in keyof Table & string]: `${S}.${Extract<Counted<Table[S]>, string>}`;
}[keyof Table & string];

/** Values of a table. */
export type ValuesOf<Table> = { readonly [S in keyof Table]: { readonly [N in keyof Table[S]]: number } };

export function valuesOf<Table extends Record<string, Record<string, Limit>>>(table: Table): ValuesOf<Table> {
  const values = Object.entries(table).map(([section, entries]) => [
    section,
    Object.fromEntries(Object.entries(entries).map(([name, { value }]) => [name, value])),
  ]);
  return Object.fromEntries(values) as ValuesOf<Table>;
}
