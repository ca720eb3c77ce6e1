import type { DatabaseSync } from 'node:sqlite';
import { accountWrites } from '#adapters/stores/sqlite/accounts.ts';
import { bodyWrites } from '#adapters/stores/sqlite/bodies/bodies.ts';
import { changeWrites } from '#adapters/stores/sqlite/changes/changes.ts';
import { deliveryWrites } from '#adapters/stores/sqlite/delivery/deliveries.ts';
import { domainWrites } from '#adapters/stores/sqlite/domains.ts';
import { managerWrites } from '#adapters/stores/sqlite/managers.ts';
import { bulkWrites } from '#adapters/stores/sqlite/messages/bulk-change.ts';
import { foundWrites } from '#adapters/stores/sqlite/messages/found-reader.ts';
import { removalWrites } from '#adapters/stores/sqlite/messages/message-removal.ts';
import { messageWrites } from '#adapters/stores/sqlite/messages/messages.ts';
import { moveWrites } from '#adapters/stores/sqlite/moves.ts';
import { auditWrites } from '#adapters/stores/sqlite/people/audit-log.ts';
import { useWrites } from '#adapters/stores/sqlite/people/users.ts';
import { refusalWrites } from '#adapters/stores/sqlite/refusals.ts';
import { upkeepWrites } from '#adapters/stores/sqlite/upkeep.ts';
import { query } from './query.ts';

export type ProbeWrites = { write(): void };

/**
 * Returns all writing methods by noun. Each call must be made in a transaction. `checkRoom` is called before mail is written,
 * and throws StoreFull.
 */
export function storeWrites(db: DatabaseSync, checkRoom: () => void) {
  const bodies = bodyWrites(db);
  const deliveries = deliveryWrites(db);
  return {
    accounts: accountWrites(db),
    auditLog: auditWrites(db),
    bodies: {
      ...bodies,
      append: (...args: Parameters<typeof bodies.append>) => {
        checkRoom();
        bodies.append(...args);
      },
    },
    bulk: bulkWrites(db),
    deliveries: {
      ...deliveries,
      commit: (...args: Parameters<typeof deliveries.commit>) => {
        checkRoom();
        return deliveries.commit(...args);
      },
    },
    domains: domainWrites(db),
    managers: managerWrites(db),
    messages: { ...messageWrites(db), ...foundWrites(db) },
    moves: moveWrites(db),
    rows: changeWrites(db),
    probe: probeWrites(db, checkRoom),
    refusals: refusalWrites(db),
    removals: removalWrites(db),
    upkeep: upkeepWrites(db),
    uses: useWrites(db),
  };
}

/** Writes a row, to show whether the disk takes a write, and has room for mail. */
function probeWrites(db: DatabaseSync, checkRoom: () => void): ProbeWrites {
  const write = query(db, 'INSERT OR REPLACE INTO probe (id, at) VALUES (1, :at)');
  return {
    write() {
      checkRoom();
      write.run({ at: Date.now() });
    },
  };
}
