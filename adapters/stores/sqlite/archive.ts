import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { date, limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Identity } from '#core/access/access.ts';
import type { ArchivedKey, ArchiveStore, Place } from '#core/archive/archive.ts';
import type { Id } from '#core/ids.ts';
import { isNotDeleted } from './soft-delete.ts';

type KeyRow = Omit<ArchivedKey, 'createdAt' | 'expiresAt'> & {
  created_at: number;
  expires_at: number | null;
};

/** Reads of an export that the other ports lack. */
export function archiveReads(db: DatabaseSync): Sync<ArchiveStore> {
  const identities = query<Identity>(
    db,
    'SELECT issuer, subject FROM identity WHERE user_id = :user ORDER BY issuer',
  );
  const keys = query<KeyRow>(
    db,
    `SELECT k.name, k.prefix, k.hash, k.scope, iif(k.created_by IS NULL, NULL, ifnull(u.email, '')) AS createdBy,
       k.managed_by AS managedBy, k.created_at, k.expires_at
     FROM api_key k LEFT JOIN user u ON u.id = k.created_by WHERE k.owner = :team ORDER BY k.id`,
  );
  const passwords = query<{ id: Id; hash: string | null }>(
    db,
    `SELECT id, password_hash AS hash FROM account WHERE owner = :team AND ${isNotDeleted('account')}`,
  );
  const after = query<Place>(
    db,
    `SELECT number, id FROM message INDEXED BY message_owner
     WHERE owner = :team AND (number, id) > (:number, :id) ORDER BY number, id ${limited}`,
  );
  const alike = query<Place>(
    db,
    `SELECT number, id FROM message INDEXED BY message_received
     WHERE received_at = :receivedAt AND owner = :team AND mailbox_id = :mailboxId AND size_bytes = :sizeBytes`,
  );
  return {
    identities: (user) => identities.all({ user }),
    credentials: (team) => ({
      apiKeys: keys.all({ team }).map(({ created_at, expires_at, ...key }) => ({
        ...key,
        expiresAt: date(expires_at),
        createdAt: new Date(created_at),
      })),
      passwords: new Map(passwords.all({ team }).map(({ id, hash }) => [id, hash])),
    }),
    messages(team, wanted) {
      if ('after' in wanted) return after.all({ team, ...wanted.after, limit: wanted.limit });
      const { mailboxId, receivedAt, sizeBytes } = wanted.alike;
      return alike.all({ team, mailboxId, receivedAt: receivedAt.getTime(), sizeBytes });
    },
  };
}
