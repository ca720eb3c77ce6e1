import { statSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { requireRoom } from '#core/adapters/stores/sqlite/delivery/room.ts';
import { connect } from '#core/adapters/stores/sqlite/schema/file.ts';
import { transaction } from './query.ts';
import { serve } from './serve.ts';
import { storeWrites } from './writes.ts';

/** A log that has grown so far says that readers kept the checkpoints from finishing: then they are waited for. */
const longLogBytes = 256 * 1024 * 1024;

const file: string = workerData.file;
const db = connect(file, 'write');
let limit = longLogBytes;

serve(
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
  // What was asked is committed whatever happens here. In vain is not often: each wait holds up all writers.
  limit = size + longLogBytes;
  try {
    if (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0) limit = longLogBytes;
  } catch {
    // The disk may be full: the next ones try again.
  }
}
