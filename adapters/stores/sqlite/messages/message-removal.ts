import type { DatabaseSync } from 'node:sqlite';
import { bit, plain, selection } from '#adapters/stores/rows/table.ts';
import { bodyRows } from '#adapters/stores/sqlite/bodies/bodies.ts';
import { journalAppender } from '#adapters/stores/sqlite/journal.ts';
import { mailboxCounter } from '#adapters/stores/sqlite/mailboxes.ts';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { conversations } from '#adapters/stores/sqlite/threads/conversations.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { limited, type Query, query } from '#adapters/stores/sqlite/workers/query.ts';
import { countsOf, takeUntilFreed, withinBytes } from '#core/accounts/room.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { BulkRow } from '#core/messages/bulk-change.ts';
import type { MessageStore, Visibility } from '#core/messages/message.ts';
import { listedFields } from './message-rows.ts';
import { bindVisibility, unexpired } from './message-scope.ts';

/** Message with the fields that removals and bulk changes read. A copy counts only in Sent, which the mailbox counter checks. */
export type RemovalRow = BulkRow & {
  owner: Id;
  bodyId: Id;
  conversationId: Id | null;
  countedBytes: number;
};

const id = plain<Id>();
const removal = selection<RemovalRow>(
  {
    ...listedFields,
    owner: id,
    accountId: id,
    bodyId: id,
    conversationId: plain<Id | null>(),
    countedBytes: plain<number>('coalesce(m.counted_bytes, m.size_bytes)'),
    copy: bit,
    sentCopy: { ...bit, columns: ['copy'] },
  },
  'm',
);

/** Selects messages `m` from a source, up to `:limit`. */
export function selectForRemoval(db: DatabaseSync, source: string, most = limited): Query<RemovalRow> {
  return query(db, `SELECT ${removal.columns} ${source} ${most}`, removal.toRow);
}

/**
 * Clause for up to `limit` messages that one transaction removes in about 2 ms. Mail that arrives during the removal of many messages waits
 * for one such transaction before each commit.
 */
export const fewAtOnce = 'LIMIT min(:limit, 25)';

/** Returns a function that reads an owner's visible messages from a selection. */
export function visibleRows(db: DatabaseSync) {
  const visible = selectForRemoval(
    db,
    `FROM json_each(:ids) wanted CROSS JOIN message m ON m.id = wanted.value
       CROSS JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.owner = :owner AND ${isNotDeleted('b')} AND ${unexpired}`,
  );
  return (owner: Id, ids: Id[], visibility: Visibility): RemovalRow[] =>
    visible.all({ owner, ids: JSON.stringify(ids), limit: ids.length, ...bindVisibility(visibility) });
}

/** Removes messages. Returns one commit per owner. The rows must have been read in the same transaction. */
export type RowRemoval = (rows: RemovalRow[], at: Date) => Committed<number>[];

/** Removes messages with their bytes, threads and counts, and writes an event for each message. No other code removes messages. */
export function messageRemoval(db: DatabaseSync): RowRemoval {
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

  const removeOne = (row: RemovalRow, at: Date): MailEvent => {
    const { id, owner, accountId, mailboxId } = row;
    remove.run({ id });
    const trace = removeTrace.get({ id });
    if (trace !== undefined) {
      const tokens = { own: trace.own_token, references: trace.reference_tokens.split(' ').filter(Boolean) };
      threads.leave(accountId, id, row.conversationId, tokens);
    }
    bodies.release(row.bodyId);
    // Skips soft-deleted mailboxes: deleting them already returned their bytes to the account.
    if (count(mailboxId, countsOf([row], -1)))
      giveBytesBack.run({ account: accountId, bytes: row.countedBytes });
    const place = { messageId: id, messageNumber: row.number, accountId, mailboxId };
    const event: MailEvent = { number: journal.next(owner), type: 'message.deleted', ...place, at };
    journal.append(owner, event);
    return event;
  };

  return (rows, at) => {
    const byOwner = [...Map.groupBy(rows, (row) => row.owner)].sort(([a], [b]) => a - b);
    return byOwner.map(([owner, owned]: [Id, RemovalRow[]]) => ({
      owner,
      result: owned.length,
      events: owned.map((row) => removeOne(row, at)),
    }));
  };
}

export type RemovalWrites = Sync<Pick<MessageStore, 'remove' | 'removeSome'>>;

export function removalWrites(db: DatabaseSync): RemovalWrites {
  const visible = visibleRows(db);
  const removeRows = messageRemoval(db);
  const inMailbox = selectForRemoval(
    db,
    `FROM mailbox b CROSS JOIN message m INDEXED BY message_mailbox
     WHERE b.id = :mailbox AND b.owner = :owner AND ${isNotDeleted('b')} AND m.mailbox_id = b.id AND m.number <= :upTo`,
    fewAtOnce,
  );
  // Skips soft-deleted mailboxes because removing their messages frees nothing.
  const oldest = selectForRemoval(
    db,
    `FROM message m INDEXED BY message_account CROSS JOIN mailbox b
     WHERE m.account_id = :account AND b.id = m.mailbox_id AND b.owner = :owner AND ${isNotDeleted('b')}
     ORDER BY m.number, m.id`,
  );
  return {
    remove(owner, id, visibility) {
      const [commit] = removeRows(visible(owner, [id], visibility), visibility.now);
      return commit === undefined ? null : { ...commit, result: true };
    },
    removeSome(owner, scope, limit) {
      const rows =
        'upTo' in scope
          ? inMailbox.all({ owner, mailbox: scope.mailboxId, upTo: scope.upTo, limit })
          : takeUntilFreed(
              oldest.all({ owner, account: scope.oldestOf, limit }),
              scope.load,
              (row) => row.countedBytes,
            );
      const [commit] = removeRows(withinBytes(rows), new Date());
      return commit ?? { owner, result: 0, events: [] };
    },
  };
}
