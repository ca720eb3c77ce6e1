import { statSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { requireRoom } from '#adapters/stores/sqlite/delivery/room.ts';
import { connect } from '#adapters/stores/sqlite/schema/file.ts';
import { serveStore } from './calls.ts';
import { transaction } from './query.ts';
import { storeWrites } from './writes.ts';

/** Log size in bytes above which a checkpoint waits for the readers that kept earlier checkpoints from shortening the log. */
const longLogBytes = 256 * 1024 * 1024;

const file: string = workerData.file;
const db = connect(file, 'write');
let limit = longLogBytes;

serveStore(
  storeWrites(db, () => requireRoom(db, file)),
  (work) => {
    const result = transaction(db, 'IMMEDIATE', work);
    shortenLog();
    return result;
  },
  () => db.close(),
);

function shortenLog(): void {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= limit) return;
  // The caller's work is already committed, whatever happens here. After a failed attempt, the log grows by the same number of bytes
  // before the next one, because each attempt blocks all writers while it waits.
  limit = size + longLogBytes;
  try {
    if (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0) limit = longLogBytes;
  } catch {
    // The disk may be full. A later call tries again.
  }
}
