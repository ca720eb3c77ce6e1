import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

type Params = Record<string, SQLInputValue>;

/** Prepared statement whose rows have the type `Row`. `:name` in the SQL is bound from `params.name`. */
export type Query<Row> = {
  get(params?: Params): Row | undefined;
  all(params?: Params): Row[];
  /** Returns rows as they are found, so that those before an error are kept. */
  iterate(params?: Params): IterableIterator<Row>;
  /** Runs a statement that gives no rows. `id` is that of the row inserted last. */
  run(params?: Params): { changes: number; id: number };
};

/** Prepares a statement. The columns that it selects must be those of `Row`, which nothing checks. */
export function query<Row = never>(db: DatabaseSync, sql: string): Query<Row> {
  const statement = db.prepare(sql);
  return {
    get: (params = {}) => statement.get(params) as Row | undefined,
    all: (params = {}) => statement.all(params) as Row[],
    iterate: (params = {}) => statement.iterate(params) as IterableIterator<Row>,
    run(params = {}) {
      const { changes, lastInsertRowid } = statement.run(params);
      return { changes: Number(changes), id: Number(lastInsertRowid) };
    },
  };
}

/** Runs `work` in one transaction. An error of `work` rolls it back. */
export function transaction<T>(db: DatabaseSync, kind: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
  db.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have rolled the transaction back already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

export const bit = (value: boolean): number => (value ? 1 : 0);

export const time = (date: Date | null): number | null => (date === null ? null : date.getTime());

export const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
