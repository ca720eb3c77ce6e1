import type { DatabaseSync } from 'node:sqlite';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { MessageFilter, Visibility } from '#core/messages/message.ts';
import { withinReach } from './list-reach.ts';
import {
  bindScope,
  bindVisibility,
  inScope,
  mailboxesOf,
  messagesOf,
  type Scope,
  unexpired,
  withoutCopies,
} from './message-scope.ts';

/** `allUnexpired`: no message of the scope is past its time. */
type Totals = (
  owner: Id,
  scope: Scope,
  filter: MessageFilter,
  visibility: Visibility,
) => { total: number; allUnexpired: boolean };

/** Messages in the mailboxes of a scope by their counters, for `:scope` and `:owner`; of an owner, by those of domains. */
const counted: Record<Scope['by'], string> = {
  mailbox: `SELECT b.total AS total ${mailboxesOf.mailbox}`,
  account: `SELECT sum(b.total - iif(b.path_key = '${pathKey('Sent')}', b.copies, 0)) AS total ${mailboxesOf.account}`,
  owner: `SELECT sum(total - copies) AS total FROM domain INDEXED BY domain_owner
    WHERE owner = :owner AND owner = :scope AND :account IS NULL AND buried_at IS NULL`,
};

/**
 * How many visible messages a scope has: by counters, less those that are past their time and not yet removed; or, behind
 * `after`, one by one. Looks at rows within the reach of a list.
 */
export function messageTotals(db: DatabaseSync): Totals {
  const queries = { mailbox: of('mailbox'), account: of('account'), owner: of('owner') };
  function of(by: Scope['by']) {
    const shown = by === 'mailbox' ? '' : `AND ${withoutCopies}`;
    // The scan by time finds everybody's messages: all that it looks at counts.
    const past = (index: string, time: string, condition: string) =>
      `(SELECT count(*) FROM message m INDEXED BY ${index} CROSS JOIN mailbox b
        WHERE ${condition} AND ${withinReach(time)} AND b.id = m.mailbox_id AND ${inScope[by]} ${shown})`;
    return {
      counters: query<{ total: number | null }>(db, counted[by]),
      behind: query<{ total: number }>(
        db,
        `SELECT count(*) AS total ${messagesOf[by]} AND ${withinReach('m.number')} AND ${unexpired} ${shown}`,
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
    const { counters, behind, expired: past } = queries[scope.by];
    const bound = bindScope(owner, scope, filter);
    const instant = bindVisibility(visibility);
    if (bound.after > 0) {
      return { total: behind.get({ ...bound, ...instant })?.total ?? 0, allUnexpired: false };
    }
    const { after: _, ...unbounded } = bound;
    const expired = past.get({ ...unbounded, ...instant })?.expired ?? 0;
    return { total: (counters.get(unbounded)?.total ?? 0) - expired, allUnexpired: expired === 0 };
  };
}
