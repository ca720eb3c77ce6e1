import type { DatabaseSync } from 'node:sqlite';
import { limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';

/**
 * Condition that the account or mailbox named `row` and its domain are not deleted, and that the domain is not moving to another team.
 * Deleting or moving a domain marks only the domain, so it takes no longer with 10,000 accounts than with one. Marked domains are few,
 * and looked up once per statement.
 */
export function isNotDeleted(row: string): string {
  return `${row}.deleted_at IS NULL
    AND ${row}.domain_id NOT IN (SELECT id FROM domain INDEXED BY domain_deleted WHERE deleted_at IS NOT NULL
      UNION ALL SELECT id FROM domain INDEXED BY domain_owner WHERE owner < 0 AND deleted_at IS NULL)`;
}

/** Marks the accounts and mailboxes of deleted domains and accounts as deleted. */
export function softDeleteContents(db: DatabaseSync): {
  ofAccount(id: Id, at: number): void;
  /** Marks up to `limit` accounts of deleted domains, with their mailboxes. Returns the number of accounts, 0 if none are left. */
  ofDeletedDomains(limit: number): number;
} {
  const mailboxesOf = query(
    db,
    'UPDATE mailbox SET deleted_at = :at WHERE account_id = :id AND deleted_at IS NULL',
  );
  const account = query(db, 'UPDATE account SET deleted_at = :at WHERE id = :id');
  const unmarked = query<{ id: Id; at: number }>(
    db,
    `SELECT a.id, d.deleted_at AS at FROM domain d INDEXED BY domain_deleted
       CROSS JOIN account a INDEXED BY account_domain
     WHERE d.deleted_at IS NOT NULL AND a.domain_id = d.id AND a.deleted_at IS NULL ${limited}`,
  );
  const ofAccount = (id: Id, at: number) => {
    mailboxesOf.run({ id, at });
  };
  return {
    ofAccount,
    ofDeletedDomains(limit) {
      const accounts = unmarked.all({ limit });
      for (const { id, at } of accounts) {
        ofAccount(id, at);
        account.run({ id, at });
      }
      return accounts.length;
    },
  };
}
