import type { DatabaseSync } from 'node:sqlite';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, limited, onePage, query, transaction } from '#adapters/stores/sqlite/workers/query.ts';
import type { ArchiveStore, Place } from '#core/archive/archive.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { byCount, type TagStore } from '#core/messages/tag-counts.ts';
import { offsetOf, type Page, type Slice } from '#core/page.ts';
import { type RowSummary, summaries } from './message-rows.ts';
import {
  bindMailboxes,
  bindScope,
  bindVisibility,
  hasFlags,
  inScope,
  mailboxesOf,
  messagesOf,
  newestFirst,
  passesIndex,
  type Scope,
  scopeOf,
  unexpired,
} from './message-scope.ts';

/** Page of rows as stored, with the owner's newest event number. */
export type RowList = Slice<RowSummary> & { cursor: number };

/** Reads a page like `MessageStore` does. */
export type ListRows = (owner: Id, filter: MessageFilter, page: Page, visibility: Visibility) => RowList;

/**
 * Lists messages by filters that need only an index: place, number and flags. Throws OutOfReach if more than `mostRows` rows precede the
 * page or must be counted.
 */
export function messageList(db: DatabaseSync, mostRows: number): ListRows {
  const begin = reachOf(db, mostRows);
  const totals = messageTotals(db);
  // Counting the rows of a condition calls JavaScript for each skipped row, so an unlimited list does not count.
  const passing = mostRows === Number.POSITIVE_INFINITY ? (condition: string) => condition : countingMisses;
  const page = (by: Scope['by']) =>
    query(
      db,
      // Skips rows before the page by index entries alone while no message has expired.
      `SELECT ${summaries.columns} ${messagesOf(by, passing)}
       AND (${passing(`:allUnexpired = 1 OR (${unexpired})`, 'm.received_at')})
       ${newestFirst} ${onePage}`,
      summaries.toRow,
    );
  const pages = { mailbox: page('mailbox'), account: page('account'), owner: page('owner') };
  const head = query<{ head: number }>(db, 'SELECT head FROM team WHERE id = :owner');
  return (owner, filter, page, visibility) =>
    transaction(db, 'DEFERRED', () => {
      const scope = scopeOf(owner, filter);
      begin(0);
      const { total, expired } = totals(owner, scope, filter, visibility);
      const offset = offsetOf(page);
      const bound = {
        ...bindScope(owner, scope, filter),
        ...bindVisibility(visibility),
        allUnexpired: bit(expired === 0),
      };
      // Returns early because a page after the last message would otherwise read the index to its end.
      if (offset >= total) return { items: [], total, cursor: head.get({ owner })?.head ?? 0 };
      // Counts the page's rows in advance, because counting them one by one would call JavaScript for each.
      begin(Math.min(offset + page.limit, total));
      const items = pages[scope.by].all({ ...bound, limit: page.limit, offset });
      return { items, total, cursor: head.get({ owner })?.head ?? 0 };
    });
}

/** Maximum rows that one list may read on the main thread, which answers all requests. Reading them takes some milliseconds. */
export const rowsInReach = 5000;

/** Error of a list that would read more rows than allowed. A search then reads the list in slices. */
export class OutOfReach extends Error {}

/** Condition that counts a row, and throws OutOfReach above the maximum. `column` is a column of the scanned table. */
const withinReach = (column: string): string => `within_reach(${column})`;

/** Condition that also counts the rows that do not meet it. `column` is a column of the scanned table. */
const countingMisses = (condition: string, column: string): string =>
  // With OR, SQLite would evaluate the right side first if the left side contains a subquery.
  `iif(${condition}, 1, NOT ${withinReach(column)})`;

/**
 * Defines `withinReach` on a connection. The returned function starts the count at a number of rows, and throws OutOfReach if that is
 * already too many.
 */
function reachOf(db: DatabaseSync, mostRows: number): (rows: number) => void {
  let left = mostRows;
  const count = (rows: number) => {
    left -= rows;
    if (left < 0) throw new OutOfReach();
  };
  // The unused argument ties the condition to the loop over its table.
  db.function('within_reach', (_column) => {
    count(1);
    return 1;
  });
  return (rows) => {
    left = mostRows;
    count(rows);
  };
}

/** Checks whether a filter restricts only the account or the mailbox. */
const isPlace = ({ after = 0, mailboxPath, ...filter }: MessageFilter) =>
  after === 0 && mailboxPath === undefined && !hasFlags(filter);

/** Counts a scope's visible messages, and its expired messages that are not removed yet. */
type Totals = (
  owner: Id,
  scope: Scope,
  filter: MessageFilter,
  visibility: Visibility,
) => { total: number; expired: number };

/** Sums of counters. An owner's sum uses the counters of domains, because domains are fewer than mailboxes. */
const counted: Record<Scope['by'], string> = {
  mailbox: `SELECT b.total AS total ${mailboxesOf.mailbox}`,
  account: `SELECT sum(b.total - iif(b.path_key = '${pathKey('Sent')}', b.copies, 0)) AS total ${mailboxesOf.account}`,
  owner: `SELECT sum(total - copies) AS total FROM domain INDEXED BY domain_owner
    WHERE owner = :owner AND owner = :scope AND :account IS NULL AND :mailboxPath IS NULL AND deleted_at IS NULL`,
};

/**
 * Counts a scope's visible messages. Uses counters if the filter contains only a place, or a mailbox and whether messages are read.
 * Counts messages after `after` one by one. If the filter contains other flags or a path, counts each mailbox's index entries. Subtracts
 * the few expired messages that are not removed yet. Rows that it reads one by one count toward `withinReach`.
 */
function messageTotals(db: DatabaseSync): Totals {
  const readState = query<{ total: number }>(
    db,
    `SELECT iif(:unread, b.unread, b.total - b.unread) AS total ${mailboxesOf.mailbox}`,
  );
  const queries = { mailbox: of('mailbox'), account: of('account'), owner: of('owner') };
  function of(by: Scope['by']) {
    // Counts each row that the scan by time reads, because the scan covers messages of all teams.
    const past = (index: string, time: string, condition: string) =>
      `(SELECT count(*) FROM message m INDEXED BY ${index} CROSS JOIN mailbox b
        WHERE ${condition} AND ${withinReach(time)} AND b.id = m.mailbox_id AND ${inScope[by]} AND ${passesIndex(by)})`;
    return {
      counters: query<{ total: number | null }>(db, counted[by]),
      behind: query<{ total: number | null }>(
        db,
        `SELECT count(*) AS total ${messagesOf(by)} AND ${withinReach('m.number')}`,
      ),
      entries: query<{ total: number | null }>(
        db,
        `SELECT sum((SELECT count(*) FROM message m INDEXED BY message_mailbox
           WHERE m.mailbox_id = b.id AND ${passesIndex(by)})) AS total ${mailboxesOf[by]}`,
      ),
      expired: query<{ expired: number }>(
        db,
        `SELECT ${past('message_received', 'm.received_at', 'm.received_at <= :horizon')}
           + ${past('message_expiry', 'm.expires_at', 'm.auto_delete = 1 AND m.expires_at <= :now AND m.received_at > :horizon')}
         AS expired`,
      ),
    };
  }
  return (owner, scope, filter, visibility) => {
    const { counters, behind, entries, expired: past } = queries[scope.by];
    const bound = bindScope(owner, scope, filter);
    const all = () => {
      const { unread, ...rest } = filter;
      if (unread !== undefined && scope.by === 'mailbox' && isPlace(rest)) {
        return readState.get({ ...bindMailboxes(owner, scope, filter), unread: bit(unread) });
      }
      if (hasFlags(filter) || filter.mailboxPath !== undefined) return entries.get(bound);
      if ((filter.after ?? 0) > 0) return behind.get(bound);
      return counters.get(bindMailboxes(owner, scope, filter));
    };
    const expired = past.get({ ...bound, ...bindVisibility(visibility) })?.expired ?? 0;
    return { total: (all()?.total ?? 0) - expired, expired };
  };
}

export function tagCounts(db: DatabaseSync): Sync<TagStore> {
  const newest = query<{ tags: string }>(
    db,
    `SELECT m.tags FROM (
       SELECT id FROM message INDEXED BY message_tagged WHERE owner = :owner AND tags IS NOT NULL ORDER BY number DESC ${limited}) n
     CROSS JOIN message m ON m.id = n.id CROSS JOIN mailbox b ON b.id = m.mailbox_id
     WHERE b.owner = :owner AND ${isNotDeleted('b')} AND ${unexpired}
       AND NOT (m.copy = 1 AND b.path_key = '${pathKey('Sent')}')`,
  );
  return {
    count(owner, bounds, visibility) {
      const counts = new Map<string, number>();
      const bound = { owner, limit: bounds.newest, ...bindVisibility(visibility) };
      for (const { tags } of newest.iterate(bound)) {
        for (const name of JSON.parse(tags)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      const all = [...counts].map(([name, count]) => ({ name, count }));
      return all.sort(byCount).slice(0, bounds.most);
    },
  };
}

/** Reads that only an export needs. */
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
