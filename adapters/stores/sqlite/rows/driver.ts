import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { CustomQueries } from '#adapters/stores/rows/custom-queries.ts';
import type { AnyOptions, Step } from '#adapters/stores/rows/steps.ts';
import { type AnyTable, columnsOf, fieldOf } from '#adapters/stores/rows/table.ts';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { limited, onePage, type Params, prepare } from '#adapters/stores/sqlite/workers/query.ts';
import { sqliteQueries } from './custom-queries.ts';

type Sql = { sql: string; bound: Params };

/** Returns a function that runs the steps of work on rows. Writes use the caller's transaction. */
export function rowDriver(db: DatabaseSync): (step: Step) => unknown {
  const known = new Map<string, ReturnType<typeof prepare>>();
  // Placeholders stand for a table's long SQL, so a step finds its statement by a short key.
  const prepared = (table: AnyTable, sql: string) => {
    let statement = known.get(sql);
    if (statement === undefined) {
      const living = table.deletion === 'domain' ? isNotDeleted(table.sqlite) : 'deleted_at IS NULL';
      statement = prepare(db, sql.replace('{columns}', table.columns).replace('{living}', living));
      known.set(sql, statement);
    }
    return statement;
  };
  const read = (table: AnyTable, { sql, bound }: Sql) => {
    const { statement, values } = prepared(table, sql);
    return statement.all(...values(bound)) as unknown as SQLOutputValue[][];
  };
  const write = (table: AnyTable, { sql, bound }: Sql) => {
    const { statement, values } = prepared(table, sql);
    return Number(statement.run(...values(bound)).changes);
  };
  const find = (table: AnyTable, where: object, options: AnyOptions) =>
    read(table, select(table, where, options)).map(table.toRow);
  const count = (table: AnyTable, where: object, options: AnyOptions = {}) => {
    const { sql, bound } = matching(table, where, options);
    const [[total = 0] = []] = read(table, { sql: `SELECT count(*) ${sql}`, bound });
    return Number(total);
  };
  const customQueries: CustomQueries = sqliteQueries(db);
  return (step) => {
    switch (step.do) {
      case 'find':
        return find(step.table, step.where, step.options);
      case 'page':
        return {
          items: find(step.table, step.where, step.options),
          total: count(step.table, step.where, step.options),
        };
      case 'count':
        return count(step.table, step.where);
      case 'insert':
        for (const row of step.rows) write(step.table, insertion(step.table, row));
        return;
      case 'put':
        return write(step.table, insertion(step.table, step.row, step.keep));
      case 'set':
        return write(step.table, update(step.table, step.where, step.values, step.added));
      case 'remove': {
        const { sql, bound } = matching(step.table, step.where, {}, true);
        return write(step.table, { sql: `DELETE ${sql}`, bound });
      }
      default:
        return (customQueries[step.do] as (...args: unknown[]) => unknown)(...step.args);
    }
  };
}

function columnOf(table: AnyTable, path: string) {
  const field = fieldOf(table, path);
  const [column = ''] = field.columns;
  return { column, field, toValue: (value: unknown) => field.toColumns(value)[0] ?? null };
}

function select(table: AnyTable, where: object, options: AnyOptions): Sql {
  const { sql, bound } = matching(table, where, options);
  const { order = [], limit, offset } = options;
  const sorted = (Array.isArray(order) ? order : order.sqlite).map((name: string) => {
    const isDown = name.startsWith('-');
    return `${columnOf(table, isDown ? name.slice(1) : name).column}${isDown ? ' DESC' : ''}`;
  });
  const ordered = sorted.length === 0 ? '' : ` ORDER BY ${sorted.join(', ')}`;
  const part = limit === undefined ? '' : offset === undefined ? ` ${limited}` : ` ${onePage}`;
  return {
    sql: `SELECT {columns} ${sql}${ordered}${part}`,
    bound: { ...bound, ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) },
  };
}

/** Returns the FROM and WHERE clauses for rows. Excludes soft-deleted rows unless `all` is set. */
function matching(table: AnyTable, where: object, { hint }: AnyOptions, all = false): Sql {
  const bound: Params = {};
  const terms = Object.entries(where).flatMap(([path, value]) =>
    value === undefined ? [] : [condition(table, path, value, bound)],
  );
  if (!all && table.deletion !== null) terms.push('{living}');
  const index = hint === undefined ? '' : ` INDEXED BY ${hint.sqlite}`;
  const matched = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`;
  return { sql: `FROM ${table.sqlite}${index}${matched}`, bound };
}

function condition(table: AnyTable, path: string, wanted: unknown, bound: Params): string {
  const { column, field, toValue } = columnOf(table, path);
  const term = (value: unknown): string => {
    const stored = toValue(value);
    // A partial index serves only values that are literals in the SQL.
    if (field.words?.includes(stored as string | number | null))
      return typeof stored === 'number' ? String(stored) : `'${stored}'`;
    const name = `w${Object.keys(bound).length}`;
    bound[name] = stored;
    return `:${name}`;
  };
  const list = (values: readonly unknown[]): string => {
    // For SQLite, creating a table of a single value takes longer than reading the row with that value.
    if (values.length === 1) return `(${term(values[0])})`;
    const name = `w${Object.keys(bound).length}`;
    bound[name] = JSON.stringify(values.map(toValue));
    return `(SELECT value FROM json_each(:${name}))`;
  };
  if (wanted === null) return `${column} IS NULL`;
  if (typeof wanted !== 'object' || wanted instanceof Date) return `${column} = ${term(wanted)}`;
  if ('in' in wanted) return `${column} IN ${list(wanted.in as unknown[])}`;
  if ('notIn' in wanted) return `${column} NOT IN ${list(wanted.notIn as unknown[])}`;
  if ('above' in wanted) return `${column} > ${term(wanted.above)}`;
  if ('upTo' in wanted) return `${column} <= ${term(wanted.upTo)}`;
  if ('from' in wanted && 'before' in wanted)
    return `${column} >= ${term(wanted.from)} AND ${column} < ${term(wanted.before)}`;
  if ('not' in wanted)
    return wanted.not === null ? `${column} IS NOT NULL` : `${column} <> ${term(wanted.not)}`;
  throw new TypeError(`no condition for ${path}`);
}

/**
 * Returns the statement that inserts a row. If `keep` is given, the statement replaces a row with the same key except for these fields.
 */
function insertion(table: AnyTable, row: object, keep?: readonly string[]): Sql {
  const columns = table.fields.flatMap((field) => field[1].columns);
  const values = columnsOf(table.fields, row);
  const bound = Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]));
  const inserted = `INSERT INTO ${table.sqlite} (${columns.join(', ')}) VALUES (${columns.map((one) => `:${one}`).join(', ')})`;
  if (keep === undefined) return { sql: inserted, bound };
  const keys = [table.key].flat();
  const replaced = table.fields
    .filter(([name]) => !keys.includes(name) && !keep.includes(name))
    .flatMap((field) => field[1].columns.map((column) => `${column} = :${column}`));
  const conflict = `ON CONFLICT (${keys.map((name) => columnOf(table, name).column).join(', ')})`;
  const done = replaced.length === 0 ? 'NOTHING' : `UPDATE SET ${replaced.join(', ')}`;
  return { sql: `${inserted} ${conflict} DO ${done}`, bound };
}

function update(table: AnyTable, where: object, values: object, added: Record<string, number>): Sql {
  const { sql, bound } = matching(table, where, {});
  const assigned = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const field = fieldOf(table, name);
    const stored = field.toColumns(value);
    return field.columns.map((column, index) => {
      bound[column] = stored[index] ?? null;
      return `${column} = :${column}`;
    });
  });
  for (const [name, more] of Object.entries(added)) {
    const { column } = columnOf(table, name);
    bound[column] = more;
    assigned.push(`${column} = ${column} + :${column}`);
  }
  return {
    sql: `UPDATE ${sql.replace('FROM ', '').replace(' WHERE', ` SET ${assigned.join(', ')} WHERE`)}`,
    bound,
  };
}
