import type { DatabaseSync } from 'node:sqlite';
import { bodyRows } from '#adapters/stores/sqlite/bodies/bodies.ts';
import { journalAppender } from '#adapters/stores/sqlite/journal.ts';
import { conversations } from '#adapters/stores/sqlite/threads/conversations.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import { countsOf } from '#core/accounts/room.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { mailboxCounter } from './message-writes.ts';

/** Fields of a message that a removal needs. */
export type DoomedRow = {
  id: number;
  owner: number;
  number: number;
  account_id: number;
  mailbox_id: number;
  body_id: number;
  conversation_id: number | null;
  size_bytes: number;
  counted_bytes: number;
  is_read: number;
  copy: number;
};

/** Columns of DoomedRow, of `message` under the name m. */
export const doomedColumns = `m.id, m.owner, m.number, m.account_id, m.mailbox_id, m.body_id, m.conversation_id,
  m.size_bytes, coalesce(m.counted_bytes, m.size_bytes) AS counted_bytes, m.is_read, m.copy`;

/**
 * Removes messages with their bytes, threads and counts, and writes an event for each. Nothing else removes messages. Returns
 * one commit for each owner. Rows must have been read in the same transaction.
 */
export function messageRemoval(db: DatabaseSync): (rows: DoomedRow[], at: Date) => Committed<number>[] {
  const journal = journalAppender(db);
  const bodies = bodyRows(db);
  const threads = conversations(db);
  const count = mailboxCounter(db);
  const remove = query(db, 'DELETE FROM message WHERE id = :id');
  const removeTrace = query<{ own_token: string | null; reference_tokens: string }>(
    db,
    'DELETE FROM trace WHERE message_id = :id RETURNING own_token, reference_tokens',
  );
  const giveBytesBack = query(
    db,
    'UPDATE account SET used_bytes = used_bytes - :bytes, full_at = NULL WHERE id = :account',
  );

  const removeOne = (row: DoomedRow, at: Date): MailEvent => {
    const { id, owner, account_id: accountId, mailbox_id: mailboxId } = row;
    remove.run({ id });
    const trace = removeTrace.get({ id });
    if (trace !== undefined) {
      const tokens = { own: trace.own_token, references: trace.reference_tokens.split(' ').filter(Boolean) };
      threads.leave(accountId, id, row.conversation_id, tokens);
    }
    bodies.release(row.body_id);
    const { size_bytes: sizeBytes, counted_bytes: countedBytes } = row;
    const counted = { isRead: row.is_read === 1, sentCopy: row.copy === 1, sizeBytes, countedBytes };
    // Skips soft-deleted mailboxes, whose bytes were returned to the account at their deletion.
    if (count(mailboxId, countsOf([counted], -1)))
      giveBytesBack.run({ account: accountId, bytes: countedBytes });
    const place = { messageId: id, messageNumber: row.number, accountId, mailboxId };
    const event: MailEvent = { number: journal.next(owner), type: 'message.deleted', ...place, at };
    journal.append(owner, event);
    return event;
  };

  return (rows, at) => {
    const byOwner = [...Map.groupBy(rows, (row) => row.owner)].sort(([a], [b]) => a - b);
    return byOwner.map(([owner, owned]: [Id, DoomedRow[]]) => ({
      owner,
      result: owned.length,
      events: owned.map((row) => removeOne(row, at)),
    }));
  };
}
