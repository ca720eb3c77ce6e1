import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { openTemporaryMongo } from './mongo-store.ts';
import { type PeopledStore, withPeople } from './people.ts';

/** Numbers of rows by table or collection. Tables that say nothing about a team are left out. */
export type RowCounts = Record<string, number>;

/**
 * Store of one test. `reopen` closes it and opens the same data again, `dispose` removes the data. `count` counts the rows of all
 * tables.
 */
export type OpenedStore = {
  store: PeopledStore;
  reopen(): Promise<PeopledStore>;
  count(): Promise<RowCounts>;
  dispose(): Promise<void>;
};

type TestStore = { name: string; open(): Promise<OpenedStore> };

/** Stores that the conformance suite runs on. */
export const stores: TestStore[] = [
  { name: 'sqlite', open: openTemporarySqlite },
  { name: 'mongodb', open: () => openTemporaryMongo() },
];

/** Store on which it also tests what is cached. */
export const uncached: TestStore = {
  name: 'mongodb without caches',
  open: () => openTemporaryMongo({ caches: false }),
};

/** Tables of the store itself. */
const ofTheStore = ['probe', 'installation', 'migration', 'sqlite_sequence'];

async function openTemporarySqlite(): Promise<OpenedStore> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-store-'));
  const opened = { store: withPeople(await openSqliteStore({ dataDir })) };
  return {
    ...opened,
    async reopen() {
      await opened.store.close();
      opened.store = withPeople(await openSqliteStore({ dataDir }));
      return opened.store;
    },
    async count() {
      const db = new DatabaseSync(path.join(dataDir, 'sandpost.db'), { readOnly: true });
      const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      const names = tables.map(({ name }) => String(name)).filter((name) => !ofTheStore.includes(name));
      const countOf = (name: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n);
      const counts = Object.fromEntries(names.map((name) => [name, countOf(name)]));
      db.close();
      return counts;
    },
    async dispose() {
      await opened.store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
