import type { DatabaseSync } from 'node:sqlite';
import { journalAppender } from '#adapters/stores/sqlite/journal.ts';
import { mailboxCounter } from '#adapters/stores/sqlite/mailboxes.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import {
  type BulkRow,
  type BulkTarget,
  changesTags,
  compareListed,
  type MessagePlan,
  planBulkChange,
  planUpdate,
} from '#core/messages/bulk-change.ts';
import type { BulkAction, Listed, MessageStore, MessageUpdate, Visibility } from '#core/messages/message.ts';
import { tagWriter } from './message-keys.ts';
import { messageRemoval, visibleRows } from './message-removal.ts';

/** Message changes. An update returns only the message's id, because copying the message's text between threads takes time. */
export type MessageChanges = Sync<Pick<MessageStore, 'changeSome'>> & {
  update(
    owner: Id,
    id: Id,
    change: MessageUpdate,
    visibility: Visibility,
  ): Committed<Id> | 'no-mailbox' | null;
};

export function messageChanges(db: DatabaseSync): MessageChanges {
  const journal = journalAppender(db);
  const count = mailboxCounter(db);
  const removeRows = messageRemoval(db);
  const targetsOf = bulkTargets(db);
  const writeTags = tagWriter(db);
  const read = visibleRows(db);
  const writeState = query(
    db,
    'UPDATE message SET mailbox_id = :mailbox, is_read = :read, is_flagged = :flagged WHERE id = :id',
  );
  const writeExpiry = query(
    db,
    `UPDATE message SET expires_at = iif(:isGiven, :expires, expires_at), auto_delete = coalesce(:autoDelete, auto_delete)
     WHERE id = :id`,
  );
  const target = query<{ path: string }>(
    db,
    'SELECT path_key AS path FROM mailbox WHERE id = :mailbox AND account_id = :account AND deleted_at IS NULL',
  );

  const write = (
    owner: Id,
    { updates, counts, events }: MessagePlan,
    changed: { state: boolean; tags: boolean },
  ) => {
    for (const { id, mailboxId: mailbox, isRead, isFlagged, tags } of updates) {
      if (changed.state) writeState.run({ id, mailbox, read: bit(isRead), flagged: bit(isFlagged) });
      if (changed.tags) writeTags(id, tags);
    }
    for (const [mailbox, own] of counts) count(mailbox, own);
    return events.map((event): MailEvent => {
      const numbered = { ...event, number: journal.next(owner) };
      journal.append(owner, numbered);
      return numbered;
    });
  };

  return {
    changeSome(owner, listed: Listed[], action: BulkAction, visibility) {
      const ids = listed.map(({ id }) => id);
      const { same, left } = compareListed(listed, read(owner, ids, visibility));
      if (action.do === 'remove') {
        const events = removeRows(same, visibility.now).flatMap((commit) => commit.events);
        const result = { matched: same.length, changed: same.length, unplaced: 0, left };
        return { owner, result, events };
      }
      const targets = action.do === 'move' ? targetsOf(same, action.path) : new Map<Id, BulkTarget>();
      const { unplaced, ...plan } = planBulkChange(same, action, targets, visibility.now);
      const ofTags = changesTags(action);
      const events = write(owner, plan, { state: !ofTags, tags: ofTags });
      return {
        owner,
        result: { matched: same.length, changed: plan.updates.length, unplaced, left },
        events,
      };
    },
    update(owner, id, change, visibility) {
      const [row] = read(owner, [id], visibility);
      if (row === undefined) return null;
      const { mailboxId = row.mailboxId, expiresAt, autoDelete, tags } = change;
      const moves = mailboxId !== row.mailboxId;
      const place = moves ? target.get({ mailbox: mailboxId, account: row.accountId }) : null;
      if (place === undefined) return 'no-mailbox';
      if (expiresAt !== undefined || autoDelete !== undefined)
        writeExpiry.run({
          id,
          isGiven: bit(expiresAt !== undefined),
          expires: time(expiresAt ?? null),
          autoDelete: autoDelete === undefined ? null : bit(autoDelete),
        });
      const to = place && { id: mailboxId, pathKey: place.path };
      const plan = planUpdate(row, change, to, visibility.now);
      const events = write(owner, plan, { state: true, tags: tags !== undefined });
      return { owner, result: id, events };
    },
  };
}

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
