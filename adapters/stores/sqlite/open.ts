import { existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type BatchStore, portionsOf, withGroupCommit } from '#adapters/stores/group-commit.ts';
import { type BodyWrites, bodyReads, PieceWriter } from '#adapters/stores/sqlite/bodies/bodies.ts';
import type { ChangeWrites } from '#adapters/stores/sqlite/changes/changes.ts';
import { copyToMove, deliveryReads } from '#adapters/stores/sqlite/delivery/deliveries.ts';
import { archiveReads } from '#adapters/stores/sqlite/messages/message-list.ts';
import { openMessages } from '#adapters/stores/sqlite/messages/messages.ts';
import { callerReads } from '#adapters/stores/sqlite/people/callers.ts';
import { openSmallPorts } from '#adapters/stores/sqlite/rows/ports.ts';
import {
  connect,
  dataDirectory,
  lockDirectory,
  makeFolder,
  prepareFile,
  readUpgrade,
  requireWritable,
} from '#adapters/stores/sqlite/schema/file.ts';
import { onThisThread, onThread, type Sync, storeThread } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { ProbeWrites } from '#adapters/stores/sqlite/workers/writes.ts';
import type { Upgrade } from '#adapters/stores/version.ts';
import type { Thread } from '#adapters/threads/thread.ts';
import { Payers } from '#core/access/payers.ts';
import type { Change, Scope } from '#core/change.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import type { TagStore } from '#core/messages/tag-counts.ts';
import type { LeaseStore, Store } from '#core/store.ts';
import { journalReads } from './journal.ts';
import type { MoveWrites } from './moves.ts';
import { openUpkeep } from './upkeep.ts';

/**
 * Opens the store in `dataDir`, creating it if it is missing: one SQLite file, locked by this process. Reads by key or index run on the
 * calling thread, all writes in one thread, and searches in two others. Throws a one-sentence Error if the directory is in use, or if the
 * file cannot be used.
 */
export async function openSqliteStore({ dataDir }: { dataDir: string }): Promise<Store> {
  makeFolder(dataDir, dataDirectory(dataDir));
  const lock = lockDirectory(dataDir);
  const file = path.join(dataDir, 'sandpost.db');
  try {
    prepareFile(file);
  } catch (error) {
    lock.release();
    throw error;
  }
  const reader = connect(file, 'read');
  const writer = storeThread(new URL('./workers/writer-worker.ts', import.meta.url), file);
  const searcher = () => storeThread(new URL('./workers/search-worker.ts', import.meta.url), file, 60_000);
  const searchers = { texts: searcher(), fields: searcher() };
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([searchers.texts.close(), searchers.fields.close()]);
    reader.close();
    // The last connection to close writes the log into the file.
    await writer.close();
    lock.release();
  };
  const probe = onThread<ProbeWrites>(writer, 'probe', { write: true });
  const small = openSmallPorts(reader, writer);
  const { findByHash, find, roleOf } = onThisThread(callerReads(reader));
  const payers = new Payers((team, page) => small.rows.list('members', { team }, page));
  const { change } = onThread<ChangeWrites>(writer, 'rows', { change: true });
  const store: Store = {
    ...small,
    installation: installationOf(reader),
    tags: onThread<Sync<TagStore>>(searchers.fields, 'tags', { count: true }),
    messages: openMessages(reader, writer, searchers),
    deliveries: deliveries(reader, writer, payers),
    journal: onThisThread(journalReads(reader)),
    rows: {
      ...small.rows,
      change: <Args extends Scope, Result>({ name }: Change<Args, Result>, args: Args) =>
        change(name, args) as Promise<Result>,
    },
    apiKeys: { ...small.apiKeys, findByHash },
    sessions: { ...small.sessions, find },
    teams: { ...small.teams, roleOf },
    payers,
    leases: createLeases(),
    moves: onThread<MoveWrites>(writer, 'moves', { begin: true, step: true }),
    archive: onThisThread(archiveReads(reader)),
    upkeep: openUpkeep(reader, writer, searchers.fields),
    size: async () => sizeOf(file),
    ping: () => probe.write(),
    close() {
      closed ??= close();
      return closed;
    },
    // Reads by key take microseconds, so sharing them would save nothing.
    reader: () => store,
  };
  return store;
}

/**
 * Reads the migration path from the store in `dataDir` to this program's version. Null if there is no store. Throws a
 * one-sentence Error if this program could not open the store.
 */
export function readSqliteUpgrade(dataDir: string): Upgrade | null {
  if (existsSync(dataDir)) requireWritable(dataDir, dataDirectory(dataDir));
  return readUpgrade(path.join(dataDir, 'sandpost.db'));
}

/** Reads the name that the file got when it was created. */
function installationOf(reader: DatabaseSync): string {
  const row = query<{ name: string }>(reader, 'SELECT name FROM installation').get();
  if (row === undefined) throw new Error('the store has no name');
  return row.name;
}

/** Measures the file with its log, and the free bytes on its disk. */
function sizeOf(file: string): { bytes: number; freeBytes: number } {
  const sizes = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0);
  const { bavail, bsize } = statfsSync(file);
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), freeBytes: bavail * bsize };
}

/** Maximum emails in a request whose commit is as fast as that of a batch of other emails. */
const fewMails = 20;

function deliveries(reader: DatabaseSync, writer: Thread, payers: Payers): DeliveryStore {
  const bodies = onThread<BodyWrites>(writer, 'bodies', { begin: true, append: true, discard: true });
  const read = bodyReads(reader);
  const send = (method: 'stage' | 'commit', batch: number, mails: PreparedMail[]): Promise<unknown> => {
    const moved = mails.map(copyToMove);
    const copies = moved.map(({ copy }) => copy);
    const transfer = moved.flatMap(({ buffers }) => buffers);
    return writer.call(`deliveries.${method}`, [batch, copies], { transfer });
  };
  let lastBatch = 0;
  const batches: BatchStore = {
    ...onThisThread(deliveryReads(reader)),
    writeBody: () => new PieceWriter(bodies, read),
    async commitBatch(mails, over) {
      lastBatch += 1;
      const batch = lastBatch;
      const portions = [...portionsOf(mails, ({ sizeBytes }) => sizeBytes)];
      const last = portions.pop() ?? [];
      for (const some of portions) await send('stage', batch, some);
      const verdicts = (await send('commit', batch, last)) as DeliveryVerdict[];
      over?.();
      return verdicts;
    },
  };
  // All emails wait for the same writer, so they share a key. Long requests have a separate key: they wait for each other, and other mail
  // waits for at most one of them.
  const batchKey = ({ length }: unknown[]) => (length > fewMails ? 'long' : 'all');
  return withGroupCommit(batches, { payers, batchKey, paceMs: 0 });
}

/** In-memory leases. Only one process at a time can open this store, so no lease has to outlive the process. */
function createLeases(): LeaseStore {
  const held = new Map<string, { holder: string; until: number }>();
  return {
    async claim(name, holder, ttlMs, now) {
      const lease = held.get(name);
      const free = lease === undefined || lease.holder === holder || lease.until <= now.getTime();
      if (free) held.set(name, { holder, until: now.getTime() + ttlMs });
      return free;
    },
  };
}
