import type { DatabaseSync } from 'node:sqlite';
import { journalAppender } from '#adapters/stores/sqlite/journal.ts';
import { bit, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import { type Counts, countsOf } from '#core/accounts/room.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { MessageChange, Visibility } from '#core/messages/message.ts';
import { messageReader, type RowSummary } from './message-rows.ts';

/** Changes of `MessageStore`. They give the id of the message only, so that its texts are not copied between threads. */
export type MessageWrites = {
  update(owner: Id, id: Id, change: MessageChange, visibility: Visibility): Committed<Id> | null;
  move(owner: Id, id: Id, mailboxId: Id, visibility: Visibility): Committed<Id> | 'no-mailbox' | null;
};

/** Changes of single messages, with their counts and their events. */
export function messageWrites(db: DatabaseSync): MessageWrites {
  const reader = messageReader(db);
  const journal = journalAppender(db);
  const count = mailboxCounter(db);
  const update = query(
    db,
    `UPDATE message SET is_read = :read, is_flagged = :flagged, expires_at = :expires, auto_delete = :autoDelete
     WHERE id = :id`,
  );
  const target = query(
    db,
    'SELECT id FROM mailbox WHERE id = :mailbox AND account_id = :account AND deleted_at IS NULL',
  );
  const move = query<{ bytes: number | null }>(
    db,
    'UPDATE message SET mailbox_id = :mailbox WHERE id = :id RETURNING counted_bytes AS bytes',
  );

  const committed = (owner: Id, message: RowSummary, { now }: Visibility, tell: boolean): Committed<Id> => ({
    result: message.id,
    owner,
    events: tell ? [updated(owner, message, now)] : [],
  });
  const updated = (owner: Id, message: RowSummary, at: Date): MailEvent => {
    const { id: messageId, number: messageNumber, accountId, mailboxId, isRead, isFlagged } = message;
    const place = { messageId, messageNumber, accountId, mailboxId };
    const event: MailEvent = {
      number: journal.next(owner),
      type: 'message.updated',
      ...place,
      at,
      isRead,
      isFlagged,
    };
    journal.append(owner, event);
    return event;
  };

  return {
    update(owner, id, change, visibility) {
      const before = reader.summary(owner, id, visibility);
      if (before === null) return null;
      const after = { ...before, ...change };
      update.run({
        id,
        read: bit(after.isRead),
        flagged: bit(after.isFlagged),
        expires: time(after.expiresAt),
        autoDelete: bit(after.autoDelete),
      });
      if (before.isRead !== after.isRead) {
        count(before.mailboxId, countsOf([counted(before)], -1));
        count(before.mailboxId, countsOf([counted(after)], 1));
      }
      const tell = before.isRead !== after.isRead || before.isFlagged !== after.isFlagged;
      return committed(owner, after, visibility, tell);
    },
    move(owner, id, mailbox, visibility) {
      const before = reader.summary(owner, id, visibility);
      if (before === null) return null;
      if (target.get({ mailbox, account: before.accountId }) === undefined) return 'no-mailbox';
      const moves = mailbox !== before.mailboxId;
      if (moves) {
        const countedBytes = move.get({ id, mailbox })?.bytes ?? null;
        const moved = { ...counted(before), countedBytes };
        count(before.mailboxId, countsOf([moved], -1));
        count(mailbox, countsOf([moved], 1));
      }
      return committed(owner, { ...before, mailboxId: mailbox }, visibility, moves);
    },
  };
}

const counted = ({ isRead, copy, sizeBytes }: RowSummary) => ({ isRead, sentCopy: copy, sizeBytes });

/**
 * Returns a function that adds to the counts of a mailbox. False for a soft-deleted one. Copies are counted in Sent alone, so
 * that callers need not know in which mailbox a copy is.
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
