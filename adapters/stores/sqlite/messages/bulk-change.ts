import type { DatabaseSync } from 'node:sqlite';
import { journalAppender } from '#adapters/stores/sqlite/journal.ts';
import { mailboxCounter } from '#adapters/stores/sqlite/mailboxes.ts';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import {
  type BulkRow,
  type BulkTarget,
  changesTags,
  compareListed,
  planBulkChange,
} from '#core/messages/bulk-change.ts';
import type { BulkAction, Listed, MessageStore, Visibility } from '#core/messages/message.ts';
import { tagWriter } from './message-keys.ts';
import { type DoomedRow, messageRemoval, selectDoomed } from './message-removal.ts';
import { bindVisibility, unexpired } from './message-scope.ts';

export type BulkWrites = Sync<Pick<MessageStore, 'changeSome'>>;

/** Changes of many messages, as `planBulkChange` decides them. */
export function bulkWrites(db: DatabaseSync): BulkWrites {
  const journal = journalAppender(db);
  const count = mailboxCounter(db);
  const removeRows = messageRemoval(db);
  const targetsOf = bulkTargets(db);
  const writeTags = tagWriter(db);
  const visible = selectDoomed(
    db,
    `FROM json_each(:ids) wanted CROSS JOIN message m ON m.id = wanted.value
       CROSS JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.owner = :owner AND ${isNotDeleted('b')} AND ${unexpired}`,
  );
  const update = query(
    db,
    'UPDATE message SET mailbox_id = :mailbox, is_read = :read, is_flagged = :flagged WHERE id = :id',
  );

  const read = (owner: Id, listed: Listed[], visibility: Visibility): DoomedRow[] =>
    visible.all({
      owner,
      ids: JSON.stringify(listed.map(({ id }) => id)),
      limit: listed.length,
      ...bindVisibility(visibility),
    });

  return {
    changeSome(owner, listed: Listed[], action: BulkAction, visibility) {
      const rows = read(owner, listed, visibility);
      const { same, left } = compareListed(listed, rows);
      if (action.do === 'remove') {
        const events = removeRows(same, visibility.now).flatMap((commit) => commit.events);
        const result = { matched: same.length, changed: same.length, unplaced: 0, left };
        return { owner, result, events };
      }
      const targets = action.do === 'move' ? targetsOf(same, action.path) : new Map<Id, BulkTarget>();
      const plan = planBulkChange(same, action, targets, visibility.now);
      for (const { id, mailboxId: mailbox, isRead, isFlagged, tags } of plan.updates) {
        if (changesTags(action)) writeTags(id, tags);
        else update.run({ id, mailbox, read: bit(isRead), flagged: bit(isFlagged) });
      }
      for (const [mailbox, counts] of plan.counts) count(mailbox, counts);
      const events = plan.events.map((event): MailEvent => {
        const numbered = { ...event, number: journal.next(owner) };
        journal.append(owner, numbered);
        return numbered;
      });
      const { updates, unplaced } = plan;
      return { owner, result: { matched: same.length, changed: updates.length, unplaced, left }, events };
    },
  };
}

/** Returns the function that finds the mailboxes of a path in the accounts of messages. */
function bulkTargets(db: DatabaseSync): (rows: BulkRow[], path: string) => Map<Id, BulkTarget> {
  const find = query<{ id: Id; account: Id }>(
    db,
    `SELECT b.id, b.account_id AS account FROM json_each(:accounts) wanted
       CROSS JOIN mailbox b INDEXED BY mailbox_path ON b.account_id = wanted.value
     WHERE b.path_key = :path AND b.deleted_at IS NULL`,
  );
  return (rows, path) => {
    const accounts = JSON.stringify([...new Set(rows.map(({ accountId }) => accountId))]);
    const key = pathKey(path);
    return new Map(
      find.all({ accounts, path: key }).map(({ id, account }) => [account, { id, pathKey: key }]),
    );
  };
}
