import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { closeMongo, openTemporaryMongo } from './mongo-store.ts';
import { type PeopledStore, withPeople } from './people.ts';

/** Numbers of rows by table or collection, except tables unrelated to a team. */
export type RowCounts = Record<string, number>;

/**
 * Store for one test. `reopen` closes it and opens the same data again. `count` counts the rows in all tables. `empty` removes them,
 * without reusing IDs. `dispose` closes the store and removes its data.
 */
export type OpenedStore = {
  store: PeopledStore;
  reopen(): Promise<PeopledStore>;
  count(): Promise<RowCounts>;
  empty(): Promise<void>;
  dispose(): Promise<void>;
};

type TestStore = { name: string; open(): Promise<OpenedStore> };

/** Stores that the conformance suite runs on. */
export const stores: TestStore[] = [
  { name: 'sqlite', open: openTemporarySqlite },
  { name: 'mongodb', open: openTemporaryMongo },
];

/** Open stores by name, between two tests. */
const kept = new Map<string, OpenedStore>();

/** Disposes of the kept stores, then closes their mongod. */
export async function closeKeptStores(): Promise<void> {
  for (const [name, opened] of kept) {
    kept.delete(name);
    await opened.dispose();
  }
  await closeMongo();
}
after(closeKeptStores);

/**
 * Runs `use` on an empty store, then empties it and keeps it for the process's next test: its threads, connections and indexes
 * take longer to create than most tests. A failed test does not keep its store.
 */
export async function onEmptyStore(
  { name, open }: TestStore,
  use: (opened: OpenedStore) => Promise<void>,
): Promise<void> {
  const opened = kept.get(name) ?? (await open());
  kept.delete(name);
  try {
    await use(opened);
    await opened.empty();
    kept.set(name, opened);
  } finally {
    if (!kept.has(name)) await opened.dispose();
  }
}

/** Internal tables of the store. */
const ofTheStore = ['probe', 'installation', 'migration', 'sqlite_sequence'];

async function openTemporarySqlite(): Promise<OpenedStore> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-store-'));
  const file = path.join(dataDir, 'sandpost.db');
  const opened: OpenedStore = {
    store: withPeople(await openSqliteStore({ dataDir })),
    async reopen() {
      await opened.store.close();
      opened.store = withPeople(await openSqliteStore({ dataDir }));
      return opened.store;
    },
    async count() {
      using db = new DatabaseSync(file, { readOnly: true });
      const countOf = (name: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n);
      return Object.fromEntries(tablesOf(db).map((name) => [name, countOf(name)]));
    },
    async empty() {
      using db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
      const deletions = tablesOf(db).map((name) => `DELETE FROM ${name};`);
      db.exec(`BEGIN IMMEDIATE; ${deletions.join(' ')} COMMIT`);
    },
    async dispose() {
      await opened.store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return opened;
}

function tablesOf(db: DatabaseSync): string[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.map(({ name }) => String(name)).filter((name) => !ofTheStore.includes(name));
}
