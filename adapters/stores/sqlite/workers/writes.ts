import type { DatabaseSync } from 'node:sqlite';
import { bodyWrites } from '#adapters/stores/sqlite/bodies/bodies.ts';
import { changeWrites } from '#adapters/stores/sqlite/changes/changes.ts';
import { deliveryWrites } from '#adapters/stores/sqlite/delivery/deliveries.ts';
import { messageChanges } from '#adapters/stores/sqlite/messages/bulk-change.ts';
import { foundWrites } from '#adapters/stores/sqlite/messages/found-reader.ts';
import { removalWrites } from '#adapters/stores/sqlite/messages/message-removal.ts';
import { moveWrites } from '#adapters/stores/sqlite/moves.ts';
import { smallPortWrites } from '#adapters/stores/sqlite/rows/ports.ts';
import { upkeepWrites } from '#adapters/stores/sqlite/upkeep.ts';
import { query } from './query.ts';

export type ProbeWrites = { write(): void };

/**
 * Returns all writing methods by noun. Each call must run in a transaction. `checkRoom` is called before mail is written, and throws
 * StoreFull.
 */
export function storeWrites(db: DatabaseSync, checkRoom: () => void) {
  const bodies = bodyWrites(db);
  const deliveries = deliveryWrites(db);
  return {
    ...smallPortWrites(db),
    bodies: {
      ...bodies,
      append: (...args: Parameters<typeof bodies.append>) => {
        checkRoom();
        bodies.append(...args);
      },
    },
    deliveries: {
      ...deliveries,
      commit: (...args: Parameters<typeof deliveries.commit>) => {
        checkRoom();
        return deliveries.commit(...args);
      },
    },
    messages: { ...messageChanges(db), ...foundWrites(db) },
    moves: moveWrites(db),
    rows: changeWrites(db),
    probe: probeWrites(db, checkRoom),
    removals: removalWrites(db),
    upkeep: upkeepWrites(db),
  };
}

/** Writes a row to check whether the disk accepts writes, and has room for mail. */
function probeWrites(db: DatabaseSync, checkRoom: () => void): ProbeWrites {
  const write = query(db, 'INSERT OR REPLACE INTO probe (id, at) VALUES (1, :at)');
  return {
    write() {
      checkRoom();
      write.run({ at: Date.now() });
    },
  };
}
