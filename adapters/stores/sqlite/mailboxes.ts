import type { DatabaseSync } from 'node:sqlite';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Counts } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';

/**
 * Returns a function that adds to a mailbox's counts, or returns false for a soft-deleted mailbox. It counts copies only in Sent, so
 * callers need not know which mailbox a copy is in.
 */
export function mailboxCounter(db: DatabaseSync): (mailbox: Id, counts: Counts) => boolean {
  const count = query(
    db,
    `UPDATE mailbox SET total = total + :total, unread = unread + :unread, bytes = bytes + :bytes,
       copies = copies + iif(path_key = '${pathKey('Sent')}', :sentCopies, 0)
     WHERE id = :mailbox AND deleted_at IS NULL`,
  );
  return (mailbox, counts) => count.run({ mailbox, ...counts }).changes === 1;
}
