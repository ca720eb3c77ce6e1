import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { limited, query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { ArchiveStore, Place } from '#core/archive/archive.ts';
import { isNotDeleted } from './soft-delete.ts';

type KeyRow = { name: string; prefix: string; hash: string; created_at: number };

/** Reads of an export that the other ports lack. */
export function archiveReads(db: DatabaseSync): Sync<ArchiveStore> {
  const users = query<{ id: number; email: string; passwordHash: string | null }>(
    db,
    'SELECT id, email, password_hash AS passwordHash FROM user ORDER BY id',
  );
  const keys = query<KeyRow>(
    db,
    'SELECT name, prefix, hash, created_at FROM api_key WHERE owner = :owner ORDER BY id',
  );
  const password = query<{ hash: string | null }>(
    db,
    `SELECT password_hash AS hash FROM account WHERE id = :account AND owner = :owner AND ${isNotDeleted('account')}`,
  );
  const messages = query<Place>(
    db,
    `SELECT number, id FROM message INDEXED BY message_owner
     WHERE owner = :owner AND (number, id) > (:number, :id) ORDER BY number, id ${limited}`,
  );
  const installation = query<{ name: string }>(db, 'SELECT name FROM installation');
  return {
    installation() {
      const row = installation.get({});
      if (row === undefined) throw new Error('the store has no name');
      return row.name;
    },
    users: () => users.all(),
    apiKeys: (owner) =>
      keys.all({ owner }).map(({ created_at, ...key }) => ({ ...key, createdAt: new Date(created_at) })),
    accountPassword: (owner, account) => password.get({ owner, account })?.hash ?? null,
    messagesAfter: (owner, { number, id }, limit) => messages.all({ owner, number, id, limit }),
  };
}
