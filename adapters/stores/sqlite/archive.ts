import type { DatabaseSync } from 'node:sqlite';
import { type TeamRow, teamColumns, toTeam } from '#adapters/stores/sqlite/people/rows.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { date, limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Identity } from '#core/access/access.ts';
import type { ArchivedKey, ArchiveStore, Place } from '#core/archive/archive.ts';
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
  const teams = query<TeamRow>(
    db,
    `SELECT ${teamColumns} FROM team t WHERE t.deleted_at IS NULL ORDER BY t.id`,
  );
  const keys = query<KeyRow>(
    db,
    `SELECT k.name, k.prefix, k.hash, k.scope, iif(k.created_by IS NULL, NULL, ifnull(u.email, '')) AS createdBy,
       k.managed_by AS managedBy, k.created_at, k.expires_at
     FROM api_key k LEFT JOIN user u ON u.id = k.created_by WHERE k.owner = :owner ORDER BY k.id`,
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
  const alike = query<{ id: number }>(
    db,
    `SELECT id FROM message INDEXED BY message_received
     WHERE received_at = :receivedAt AND owner = :owner AND mailbox_id = :mailboxId AND size_bytes = :sizeBytes`,
  );
  return {
    identities: (user) => identities.all({ user }),
    teams: () => teams.all().map(toTeam),
    apiKeys: (owner) =>
      keys.all({ owner }).map(({ created_at, expires_at, ...key }) => ({
        ...key,
        expiresAt: date(expires_at),
        createdAt: new Date(created_at),
      })),
    accountPassword: (owner, account) => password.get({ owner, account })?.hash ?? null,
    messagesAfter: (owner, { number, id }, limit) => messages.all({ owner, number, id, limit }),
    messagesWith: (owner, { mailboxId, receivedAt, sizeBytes }) =>
      alike.all({ owner, mailboxId, receivedAt: receivedAt.getTime(), sizeBytes }).map(({ id }) => id),
  };
}
