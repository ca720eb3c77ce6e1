import type { DatabaseSync } from 'node:sqlite';
import { bit, onePage, query, transaction } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { offsetOf, type Page, type Slice } from '#core/page.ts';
import { countingMisses, reachOf } from './list-reach.ts';
import { type RowSummary, type SummaryRow, summaryColumns, toSummary } from './message-rows.ts';
import {
  bindScope,
  bindVisibility,
  messagesOf,
  newestFirst,
  type Scope,
  scopeOf,
  unexpired,
} from './message-scope.ts';
import { messageTotals } from './message-totals.ts';

/** Page of rows as they are stored, with the owner's newest event number. */
export type RowList = Slice<RowSummary> & { cursor: number };

/** Reads a page, as `MessageStore` does. */
export type ListRows = (owner: Id, filter: MessageFilter, page: Page, visibility: Visibility) => RowList;

/**
 * Lists messages by filters that need no more than an index: place, number and flags. Throws OutOfReach if more than
 * `mostRows` rows come before the page, or have to be counted.
 */
export function messageList(db: DatabaseSync, mostRows: number): ListRows {
  const begin = reachOf(db, mostRows);
  const totals = messageTotals(db);
  const page = (by: Scope['by']) =>
    query<SummaryRow>(
      db,
      // Skip rows before the page by index entries alone while no message has expired.
      `SELECT ${summaryColumns} ${messagesOf(by, countingMisses)}
       AND ${countingMisses(`:allUnexpired = 1 OR (${unexpired})`, 'm.received_at')}
       ${newestFirst} ${onePage}`,
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
      // Saves reading the index to its end for a page behind the last message.
      if (offset >= total) return { items: [], total, cursor: head.get({ owner })?.head ?? 0 };
      // Counts the rows of the page in advance. A count of each would call JavaScript for each.
      begin(Math.min(offset + page.limit, total));
      const rows = pages[scope.by].all({ ...bound, limit: page.limit, offset });
      return { items: rows.map(toSummary), total, cursor: head.get({ owner })?.head ?? 0 };
    });
}
