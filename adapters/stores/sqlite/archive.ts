import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { ArchiveStore, Place } from '#core/archive/archive.ts';

/** Reads of an export that the other ports lack. */
export function archiveReads(db: DatabaseSync): Sync<Pick<ArchiveStore, 'messages'>> {
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
    messages(team, wanted) {
      if ('after' in wanted) return after.all({ team, ...wanted.after, limit: wanted.limit });
      const { mailboxId, receivedAt, sizeBytes } = wanted.alike;
      return alike.all({ team, mailboxId, receivedAt: receivedAt.getTime(), sizeBytes });
    },
  };
}
