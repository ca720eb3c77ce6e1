import type { DatabaseSync } from 'node:sqlite';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { MessageFilter, Visibility } from '#core/messages/message.ts';
import { bindScope, bindVisibility, mailboxesOf, type Scope, withoutCopies } from './message-scope.ts';

type Totals = (
  owner: Id,
  scope: Scope,
  filter: MessageFilter,
  visibility: Visibility,
) => { total: number; expired: number };

const sent = `'${pathKey('Sent')}'`;

/**
 * How many visible messages a scope has, without looking at them: the mailboxes' counters, or the length of an index
 * range behind `after`, less the few that are past their time and not yet removed (`expired`).
 */
export function messageTotals(db: DatabaseSync): Totals {
  const queries = { mailbox: of('mailbox'), account: of('account'), owner: of('owner') };
  function of(by: Scope['by']) {
    const column = { mailbox: 'm.mailbox_id', account: 'm.account_id', owner: 'm.owner' }[by];
    const copies = by === 'mailbox' ? '' : `AND ${withoutCopies}`;
    const range = 'FROM message m INDEXED BY message_mailbox WHERE m.mailbox_id = b.id AND m.number > :after';
    const copiesIn = (count: string) => (by === 'mailbox' ? '0' : `iif(b.path_key = ${sent}, ${count}, 0)`);
    const inScope = `${column} = :scope AND m.number > :after AND m.mailbox_id IN (SELECT b.id ${mailboxesOf[by]})`;
    const past = (index: string, condition: string) =>
      `(SELECT count(*) FROM message m INDEXED BY ${index} CROSS JOIN mailbox b
        WHERE ${condition} AND ${inScope} AND b.id = m.mailbox_id ${copies})`;
    return {
      counters: query<{ total: number | null }>(
        db,
        `SELECT sum(b.total - ${copiesIn('b.copies')}) AS total ${mailboxesOf[by]}`,
      ),
      ranges: query<{ total: number | null }>(
        db,
        `SELECT sum((SELECT count(*) ${range}) - ${copiesIn(`(SELECT count(*) ${range} AND m.copy = 1)`)}) AS total
         ${mailboxesOf[by]}`,
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
    const { counters, ranges, expired: past } = queries[scope.by];
    const bound = bindScope(owner, scope, filter);
    const { after, ...unbounded } = bound;
    const all = (after === 0 ? counters.get(unbounded) : ranges.get(bound))?.total ?? 0;
    const expired = past.get({ ...bound, ...bindVisibility(visibility) })?.expired ?? 0;
    return { total: all - expired, expired };
  };
}
