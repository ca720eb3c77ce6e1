import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { bit, query, transaction } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { MessageStore } from '#core/messages/message.ts';
import { offsetOf } from '#core/page.ts';
import { reachOf, withinReach } from './list-reach.ts';
import { type SummaryRow, summaryColumns, toSummary } from './message-rows.ts';
import {
  bindScope,
  bindVisibility,
  messagesOf,
  newestFirst,
  type Scope,
  scopeOf,
  unexpired,
  withoutCopies,
} from './message-scope.ts';
import { messageTotals } from './message-totals.ts';

type List = Sync<Pick<MessageStore, 'list'>>['list'];

/**
 * Lists that an index gives as they are: by mailbox, account or owner, and by number. Throws OutOfReach where too many rows
 * stand before the page, or have to be counted.
 */
export function messageList(db: DatabaseSync): List {
  const begin = reachOf(db);
  const totals = messageTotals(db);
  const page = (by: Scope['by']) =>
    query<SummaryRow>(
      db,
      // Where nothing is past its time the rows before the page need not be looked at.
      `SELECT ${summaryColumns} ${messagesOf[by]} ${by === 'mailbox' ? '' : `AND ${withoutCopies}`}
       AND ${withinReach('m.number')} AND (:allUnexpired = 1 OR (${unexpired})) ${newestFirst} LIMIT :limit OFFSET :offset`,
    );
  const pages = { mailbox: page('mailbox'), account: page('account'), owner: page('owner') };
  const head = query<{ head: number }>(db, 'SELECT head FROM user WHERE id = :owner');
  return (owner, filter, page, visibility) =>
    transaction(db, 'DEFERRED', () => {
      const scope = scopeOf(owner, filter);
      begin();
      const { total, allUnexpired } = totals(owner, scope, filter, visibility);
      begin();
      const rows = pages[scope.by].all({
        ...bindScope(owner, scope, filter),
        ...bindVisibility(visibility),
        allUnexpired: bit(allUnexpired),
        limit: page.limit,
        offset: offsetOf(page),
      });
      return { items: rows.map(toSummary), total, cursor: head.get({ owner })?.head ?? 0 };
    });
}
