import { type Counted, type Counts, countsOf, isSentCopy } from '#core/accounts/room.ts';
import type { NewEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { isAnnounced } from './change-message.ts';
import type { BulkAction, Listed, MessageChange } from './message.ts';
import { tagKey } from './tags.ts';

/**
 * Visible message as a store reads it. `copy` is true for the sender's copy of a sent email, and `sentCopy` if that copy is still in
 * Sent.
 */
export type BulkRow = Listed & Counted & { accountId: Id; copy: boolean };

export type BulkTarget = { id: Id; pathKey: string };

export type BulkUpdate = Pick<BulkRow, 'id' | 'mailboxId' | 'sentCopy' | 'isRead' | 'isFlagged' | 'tags'>;

export type MessagePlan = { updates: BulkUpdate[]; counts: Map<Id, Counts>; events: NewEvent[] };

/** Separates the rows that have not changed since they were listed, in the list's order, from the IDs of the other rows. */
export function compareListed<Row extends Listed>(
  listed: Listed[],
  rows: Row[],
): { same: Row[]; left: Id[] } {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const same: Row[] = [];
  const left: Id[] = [];
  for (const one of listed) {
    const row = byId.get(one.id);
    if (row !== undefined && isSame(one, row)) same.push(row);
    else if (row !== undefined) left.push(row.id);
  }
  return { same, left };
}

function isSame(one: Listed, other: Listed): boolean {
  return one.number === other.number && one.mailboxId === other.mailboxId && !isAnnounced(one, other);
}

/** Plans an action on messages. `targets` are the mailboxes to move messages to, by account. */
export function planBulkChange(
  rows: BulkRow[],
  action: Exclude<BulkAction, { do: 'remove' }>,
  targets: Map<Id, BulkTarget>,
  at: Date,
): MessagePlan & { unplaced: number } {
  const unplaced = action.do === 'move' ? rows.filter(({ accountId }) => !targets.has(accountId)).length : 0;
  return { ...planChange(rows, (row) => changeOf(row, action, targets), at), unplaced };
}

/** Plans a change of one message, except for its expiration. `target` is the mailbox to move the message to, if any. */
export function planUpdate(
  row: BulkRow,
  { isRead = row.isRead, isFlagged = row.isFlagged, tags = row.tags }: MessageChange,
  target: BulkTarget | null,
  at: Date,
): MessagePlan {
  return planChange(
    [row],
    ({ copy }) => ({ isRead, isFlagged, tags, ...(target && placeIn(copy, target)) }),
    at,
  );
}

/** Plans changes of messages: the changed values, the counts, and one event per mailbox for all of its changed messages. */
function planChange(rows: BulkRow[], changeOf: (row: BulkRow) => Partial<BulkRow>, at: Date): MessagePlan {
  const changed = rows.flatMap((row) => {
    const after = { ...row, ...changeOf(row) };
    return isSame(row, after) ? [] : [{ row, after }];
  });
  const counts = new Map<Id, Counts>();
  for (const { row, after } of changed) {
    if (row.mailboxId === after.mailboxId && row.isRead === after.isRead) continue;
    add(counts, row.mailboxId, countsOf([row], -1));
    add(counts, after.mailboxId, countsOf([after], 1));
  }
  const byMailbox = Map.groupBy(
    changed.map(({ after }) => after),
    ({ mailboxId }) => mailboxId,
  );
  return {
    updates: changed.map(({ after: { id, mailboxId, sentCopy, isRead, isFlagged, tags } }) => {
      return { id, mailboxId, sentCopy, isRead, isFlagged, tags };
    }),
    counts,
    events: [...byMailbox.values()].flatMap((together) => eventOf(together, at)),
  };
}

export function changesTags(action: BulkAction): action is Extract<BulkAction, { tag: string }> {
  return action.do === 'tag' || action.do === 'untag';
}

function changeOf(
  { accountId, copy, tags }: BulkRow,
  action: Exclude<BulkAction, { do: 'remove' }>,
  targets: Map<Id, BulkTarget>,
): Partial<BulkRow> {
  if (action.do === 'update') return action.change;
  if (changesTags(action)) return { tags: tagsAfter(tags, action) };
  const target = targets.get(accountId);
  if (target === undefined) return {};
  return placeIn(copy, target);
}

const placeIn = (copy: boolean, { id: mailboxId, pathKey }: BulkTarget) => ({
  mailboxId,
  sentCopy: isSentCopy(copy, pathKey),
});

/** Returns the tags after an action. A message that already has the maximum number of tags gets no others. */
function tagsAfter(tags: string[], action: { do: 'tag' | 'untag'; tag: string }): string[] {
  const others = tags.filter((tag) => tagKey(tag) !== tagKey(action.tag));
  if (action.do === 'untag') return others;
  return others.length < tags.length || tags.length >= limits.messages.tags ? tags : [...tags, action.tag];
}

function add(counts: Map<Id, Counts>, mailbox: Id, { total, unread, bytes, sentCopies }: Counts): void {
  const sum = counts.get(mailbox) ?? { total: 0, unread: 0, bytes: 0, sentCopies: 0 };
  counts.set(mailbox, {
    total: sum.total + total,
    unread: sum.unread + unread,
    bytes: sum.bytes + bytes,
    sentCopies: sum.sentCopies + sentCopies,
  });
}

function eventOf(together: BulkRow[], at: Date): NewEvent[] {
  const [first] = together;
  if (first === undefined) return [];
  const { id: messageId, number: messageNumber, accountId, mailboxId, isRead, isFlagged } = first;
  const place = { messageId, messageNumber, accountId, mailboxId };
  const others = together.length > 1 ? { messageIds: together.map(({ id }) => id) } : {};
  return [{ type: 'message.updated', ...place, at, isRead, isFlagged, ...others }];
}
