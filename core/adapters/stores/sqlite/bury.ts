import type { DatabaseSync } from 'node:sqlite';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';

/** Makes what a domain or an account holds invisible along with it. */
export function buryContents(db: DatabaseSync): {
  ofDomain(id: Id, now: Date): void;
  ofAccount(id: Id, now: Date): void;
} {
  const mailboxesOfDomain = query(
    db,
    `UPDATE mailbox SET buried_at = :at WHERE buried_at IS NULL
     AND account_id IN (SELECT id FROM account WHERE domain_id = :id AND buried_at IS NULL)`,
  );
  const accountsOfDomain = query(
    db,
    'UPDATE account SET buried_at = :at WHERE domain_id = :id AND buried_at IS NULL',
  );
  const mailboxesOfAccount = query(
    db,
    'UPDATE mailbox SET buried_at = :at WHERE account_id = :id AND buried_at IS NULL',
  );
  return {
    ofDomain(id, now) {
      mailboxesOfDomain.run({ id, at: now.getTime() });
      accountsOfDomain.run({ id, at: now.getTime() });
    },
    ofAccount(id, now) {
      mailboxesOfAccount.run({ id, at: now.getTime() });
    },
  };
}
