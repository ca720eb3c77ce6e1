import type { DatabaseSync } from 'node:sqlite';
import { accountWrites } from '#core/adapters/stores/sqlite/accounts.ts';
import { apiKeyWrites } from '#core/adapters/stores/sqlite/api-keys.ts';
import { bodyWrites } from '#core/adapters/stores/sqlite/bodies/bodies.ts';
import { deliveryWrites } from '#core/adapters/stores/sqlite/delivery/deliveries.ts';
import { domainWrites } from '#core/adapters/stores/sqlite/domains.ts';
import { journalWrites } from '#core/adapters/stores/sqlite/journal.ts';
import { mailboxWrites } from '#core/adapters/stores/sqlite/mailboxes.ts';
import { managerWrites } from '#core/adapters/stores/sqlite/managers.ts';
import { foundWrites } from '#core/adapters/stores/sqlite/messages/found-reader.ts';
import { messageWrites } from '#core/adapters/stores/sqlite/messages/message-writes.ts';
import { moveWrites } from '#core/adapters/stores/sqlite/moves.ts';
import { removalWrites } from '#core/adapters/stores/sqlite/removals.ts';
import { sessionWrites } from '#core/adapters/stores/sqlite/sessions.ts';
import { auditWrites } from '#core/adapters/stores/sqlite/teams/audit-log.ts';
import { invitationWrites } from '#core/adapters/stores/sqlite/teams/invitations.ts';
import { memberRuleWrites } from '#core/adapters/stores/sqlite/teams/member-rules.ts';
import { teamWrites } from '#core/adapters/stores/sqlite/teams/teams.ts';
import { userWrites } from '#core/adapters/stores/sqlite/users.ts';
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
    apiKeys: apiKeyWrites(db),
    auditLog: auditWrites(db),
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
    domains: domainWrites(db),
    invitations: invitationWrites(db),
    journal: journalWrites(db),
    mailboxes: mailboxWrites(db),
    managers: managerWrites(db),
    memberRules: memberRuleWrites(db),
    messages: { ...messageWrites(db), ...foundWrites(db) },
    moves: moveWrites(db),
    probe: probeWrites(db, checkRoom),
    removals: removalWrites(db),
    sessions: sessionWrites(db),
    teams: teamWrites(db),
    users: userWrites(db),
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
