import type { DatabaseSync } from 'node:sqlite';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import {
  bindMailboxes,
  bindScope,
  bindVisibility,
  hasFlags,
  mailboxesOf,
  passesIndex,
  type Scope,
} from './message-scope.ts';

type Totals = (
  owner: Id,
  scope: Scope,
  filter: MessageFilter,
  visibility: Visibility,
) => { total: number; expired: number };

/**
 * Counts the visible messages of a scope without reading them: by the counters of its mailboxes or, behind `after` and
 * with flags, by index entries; less the few that are past their time and not yet removed (`expired`).
 */
export function messageTotals(db: DatabaseSync): Totals {
  const queries = { mailbox: of('mailbox'), account: of('account'), owner: of('owner') };
  function of(by: Scope['by']) {
    const column = { mailbox: 'm.mailbox_id', account: 'm.account_id', owner: 'm.owner' }[by];
    const copies =
      by === 'mailbox'
        ? ''
        : `- iif(:mailboxPath IS NULL AND b.path_key = '${pathKey('Sent')}', b.copies, 0)`;
    const past = (index: string, condition: string) =>
      `(SELECT count(*) FROM message m INDEXED BY ${index} CROSS JOIN mailbox b
        WHERE ${condition} AND ${column} = :scope AND ${passesIndex(by)} AND b.id = m.mailbox_id
          AND b.id IN (SELECT b.id ${mailboxesOf[by]}))`;
    return {
      counters: query<{ total: number | null }>(
        db,
        `SELECT sum(b.total ${copies}) AS total ${mailboxesOf[by]}`,
      ),
      entries: query<{ total: number | null }>(
        db,
        `SELECT sum((SELECT count(*) FROM message m INDEXED BY message_mailbox
           WHERE m.mailbox_id = b.id AND ${passesIndex(by)})) AS total ${mailboxesOf[by]}`,
      ),
      expired: query<{ expired: number }>(
        db,
        `SELECT ${past('message_received', 'm.received_at <= :horizon')}
           + ${past('message_expiry', 'm.auto_delete = 1 AND m.expires_at <= :now AND m.received_at > :horizon')}
         AS expired`,
      ),
    };
  }
  return (owner, scope, filter, visibility) => {
    const { counters, entries, expired: past } = queries[scope.by];
    const bound = bindScope(owner, scope, filter);
    const counted = hasFlags(filter) || (filter.after ?? 0) > 0;
    const all = counted ? entries.get(bound) : counters.get(bindMailboxes(owner, scope, filter));
    const expired = past.get({ ...bound, ...bindVisibility(visibility) })?.expired ?? 0;
    return { total: (all?.total ?? 0) - expired, expired };
  };
}
