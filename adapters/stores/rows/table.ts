import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { type Role, roles } from '#core/access/role.ts';

/**
 * Format of a row's field. SQLite stores the field in columns; an empty column name stands for the field's name in snake case. MongoDB
 * stores the value itself, and omits a value that equals `absent`. `words`: all possible values. `parts`: fields of an object.
 */
export type Field<Value> = {
  columns: string[];
  toColumns(value: Value): SQLInputValue[];
  fromColumns(...values: SQLOutputValue[]): Value;
  absent?: Value;
  words?: readonly (string | number | null)[];
  parts?: Record<string, Field<unknown>>;
  bson?: 'date' | 'number';
};

export type FieldsOf<Row> = { [Name in keyof Row]: Field<Row[Name]> };

const same = (value: unknown) => value;

export function plain<Value extends SQLOutputValue>(column = ''): Field<Value> {
  return { columns: [column], toColumns: (value) => [value], fromColumns: same as () => Value };
}

/** Word from a small set. The statement contains the word itself, so partial indexes serve it. */
export function word<Value extends string>(words: readonly Value[]): Field<Value> {
  return { ...plain<Value>(), words };
}

export const bit: Field<boolean> = {
  columns: [''],
  toColumns: (value) => [value ? 1 : 0],
  fromColumns: (value) => value === 1,
  words: [0, 1],
};

/** Flag fields, each omitted in MongoDB if it has its default value. */
export function flags<Flags extends Record<string, boolean>>(defaults: Flags) {
  const fields = Object.entries(defaults).map(([name, absent]) => [name, { ...bit, absent }]);
  return Object.fromEntries(fields) as Record<keyof Flags, Field<boolean>>;
}

export function date(column = ''): Field<Date> {
  return {
    columns: [column],
    toColumns: (value) => [value.getTime()],
    fromColumns: (value) => new Date(Number(value)),
    bson: 'date',
  };
}

export function nullable<Value>(field: Field<Value>): Field<Value | null> {
  return {
    ...field,
    toColumns: (value) => (value === null ? field.columns.map(() => null) : field.toColumns(value)),
    fromColumns: (first = null, ...others) => (first === null ? null : field.fromColumns(first, ...others)),
  };
}

/** Role, as a number in SQLite. The highest role has the highest number. */
export const role: Field<Role> = {
  columns: [''],
  toColumns: (value) => [rankOf(value)],
  fromColumns: (rank) => roleOfRank(Number(rank)) ?? 'viewer',
};

export function rankOf(value: Role): number {
  return roles.indexOf(value) + 1;
}

export function roleOfRank(rank: number | null): Role | null {
  return rank === null ? null : (roles[rank - 1] ?? null);
}

/** Object stored as JSON in SQLite. */
export function json<Value>(column = '', revive = (value: Value) => value): Field<Value> {
  return {
    columns: [column],
    toColumns: (value) => [JSON.stringify(value)],
    fromColumns: (text) => revive(JSON.parse(String(text))),
  };
}

/** Object whose fields have separate columns. */
export function parts<Value extends object>(fields: FieldsOf<Value>): Field<Value> {
  const list = named(fields);
  const toRow = rowMaker(list);
  return {
    columns: list.flatMap(([, { columns }]) => columns),
    toColumns: (value) => columnsOf(list, value),
    fromColumns: (...values) => toRow(values) as Value,
    parts: Object.fromEntries(list),
  };
}

type Named = [name: string, field: Field<unknown>][];

function named(fields: object): Named {
  return Object.entries(fields).map(([name, field]: [string, Field<unknown>]) => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const columns = field.columns.map((column) => (column === '' ? snake : column));
    return [name, { ...field, columns }];
  });
}

/** Returns the columns of fields for a statement that calls their table `from`, and a function that builds a row from them. */
export function selection<Row>(
  fields: { [Name in keyof Row]: Omit<Field<Row[Name]>, 'toColumns'> },
  from: string,
) {
  const list = named(fields);
  // Expressions contain their table's name.
  const columns = list.flatMap(([, field]) =>
    field.columns.map((column) => (/\W/.test(column) ? column : `${from}.${column}`)),
  );
  return { columns: columns.join(', '), toRow: rowMaker(list) as (values: SQLOutputValue[]) => Row };
}

/** Returns the values of a row's columns, in the order of the row's fields. */
export function columnsOf(fields: Named, row: object): SQLInputValue[] {
  const values: Record<string, unknown> = { ...row };
  return fields.flatMap(([name, field]) => field.toColumns(values[name]));
}

/** Compiles a function that builds a row from the values of its columns. V8 creates and reads rows of the same shape faster. */
function rowMaker(fields: Named): (values: SQLOutputValue[]) => object {
  let at = 0;
  const made = fields.map(([name, { columns, fromColumns }], index) => {
    const values = columns.map((_, nth) => `values[${at + nth}]`).join(', ');
    at += columns.length;
    return `${JSON.stringify(name)}: ${fromColumns === same ? values : `fields[${index}][1].fromColumns(${values})`}`;
  });
  return new Function('fields', `return (values) => ({ ${made.join(', ')} })`)(fields);
}

/**
 * Rows of one kind in both stores. `key` is the field that MongoDB stores as `_id`, or the fields that it joins into `_id`. `rest` is a
 * field whose own fields MongoDB stores next to the others. `deletion`: rows are soft-deleted by themselves, or also with their domain.
 */
export type AnyTable = {
  sqlite: string;
  mongo: string;
  fields: Named;
  /** Fields by name, and by `field.part`. */
  byName: Map<string, Field<unknown>>;
  /**
   * Fields that are read, with their columns and the function that builds their row. All other fields serve only conditions and writes.
   */
  shown: Named;
  columns: string;
  toRow(values: SQLOutputValue[]): object;
  key: string | string[];
  rest: string | null;
  deletion: 'own' | 'domain' | null;
};

export function fieldOf({ byName }: AnyTable, path: string): Field<unknown> {
  const field = byName.get(path);
  if (field === undefined) throw new TypeError(`no field ${path}`);
  return field;
}

type Options<Hidden> = Partial<Pick<AnyTable, 'key' | 'rest' | 'deletion'>> & { hidden?: Hidden[] };

declare const typed: unique symbol;
export type Table<Row, Shown = Row> = AnyTable & { readonly [typed]?: [Row, Shown] };

export function table<Row, Hidden extends keyof Row = never>(
  [sqlite, mongo]: [sqlite: string, mongo: string],
  fields: FieldsOf<Row>,
  { hidden = [], ...options }: Options<Hidden> = {},
): Table<Row, Omit<Row, Hidden>> {
  const list = named(fields);
  const unread: unknown[] = hidden;
  const shown = list.filter(([name]) => !unread.includes(name));
  const within = list.flatMap(
    ([name, { parts = {} }]): Named =>
      Object.entries(parts).map(([part, field]) => [`${name}.${part}`, field]),
  );
  return {
    sqlite,
    mongo,
    fields: list,
    byName: new Map([...list, ...within]),
    shown,
    columns: shown.flatMap(([, { columns }]) => columns).join(', '),
    toRow: rowMaker(shown),
    key: 'id',
    rest: null,
    deletion: null,
    ...options,
  };
}
