import type { DatabaseSync } from 'node:sqlite';
import { accountWrites } from './accounts.ts';
import { apiKeyWrites } from './api-keys.ts';
import { bodyWrites } from './bodies.ts';
import { deliveryWrites } from './deliveries.ts';
import { domainWrites } from './domains.ts';
import { journalWrites } from './journal.ts';
import { mailboxWrites } from './mailboxes.ts';
import { managerWrites } from './managers.ts';
import { messageWrites } from './message-writes.ts';
import { query } from './query.ts';
import { removalWrites } from './removals.ts';
import { sessionWrites } from './sessions.ts';
import { userWrites } from './users.ts';

export type ProbeWrites = { write(): void };

/**
 * Everything that writes, by noun; each call must be made in a transaction. `checkRoom` is asked before mail is taken,
 * and throws StoreFull.
 */
export function storeWrites(db: DatabaseSync, checkRoom: () => void) {
  const bodies = bodyWrites(db);
  const deliveries = deliveryWrites(db);
  return {
    accounts: accountWrites(db),
    apiKeys: apiKeyWrites(db),
    bodies: {
      ...bodies,
      append: (...args: Parameters<typeof bodies.append>) => {
        checkRoom();
        bodies.append(...args);
      },
    },
    deliveries: {
      commit: (...args: Parameters<typeof deliveries.commit>) => {
        checkRoom();
        return deliveries.commit(...args);
      },
    },
    domains: domainWrites(db),
    journal: journalWrites(db),
    mailboxes: mailboxWrites(db),
    managers: managerWrites(db),
    messages: messageWrites(db),
    probe: probeWrites(db),
    removals: removalWrites(db),
    sessions: sessionWrites(db),
    users: userWrites(db),
  };
}

/** Shows whether the disk takes a write. */
function probeWrites(db: DatabaseSync): ProbeWrites {
  const write = query(db, 'INSERT OR REPLACE INTO probe (id, at) VALUES (1, :at)');
  return {
    write() {
      write.run({ at: Date.now() });
    },
  };
}
