import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '#core/adapters/stores/sqlite/open.ts';
import type { Store } from '#core/store.ts';
import { openTemporaryMongo } from './mongo-store.ts';

/** Store of one test. `reopen` closes it and opens the same data again, `dispose` removes the data. */
export type OpenedStore = { store: Store; reopen(): Promise<Store>; dispose(): Promise<void> };

/** Stores that the conformance suite runs on. */
export const stores: { name: string; open(): Promise<OpenedStore> }[] = [
  { name: 'sqlite', open: openTemporarySqlite },
  { name: 'mongodb', open: () => openTemporaryMongo() },
  { name: 'mongodb without caches', open: () => openTemporaryMongo({ caches: false }) },
];

async function openTemporarySqlite(): Promise<OpenedStore> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-store-'));
  const opened = { store: await openSqliteStore({ dataDir }) };
  return {
    ...opened,
    async reopen() {
      await opened.store.close();
      opened.store = await openSqliteStore({ dataDir });
      return opened.store;
    },
    async dispose() {
      await opened.store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
