import type { DatabaseSync } from 'node:sqlite';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { withinReach } from './list-reach.ts';
import {
  bindMailboxes,
  bindScope,
  bindVisibility,
  hasFlags,
  inScope,
  mailboxesOf,
  messagesOf,
  passesIndex,
  type Scope,
} from './message-scope.ts';

/** Counts the visible messages of a scope, and its expired messages that are not removed yet. */
type Totals = (
  owner: Id,
  scope: Scope,
  filter: MessageFilter,
  visibility: Visibility,
) => { total: number; expired: number };

/** Sums of counters. An owner's are those of domains, which are fewer than mailboxes. */
const counted: Record<Scope['by'], string> = {
  mailbox: `SELECT b.total AS total ${mailboxesOf.mailbox}`,
  account: `SELECT sum(b.total - iif(b.path_key = '${pathKey('Sent')}', b.copies, 0)) AS total ${mailboxesOf.account}`,
  owner: `SELECT sum(total - copies) AS total FROM domain INDEXED BY domain_owner
    WHERE owner = :owner AND owner = :scope AND :account IS NULL AND :mailboxPath IS NULL AND deleted_at IS NULL`,
};

/**
 * Counts the visible messages of a scope. Uses counters if the filter has no more than a place, counts messages behind
 * `after` one by one, and with flags or a path counts index entries of each mailbox. Subtracts the few expired messages that
 * are not removed yet. Rows that it reads one by one count towards `withinReach`.
 */
export function messageTotals(db: DatabaseSync): Totals {
  const queries = { mailbox: of('mailbox'), account: of('account'), owner: of('owner') };
  function of(by: Scope['by']) {
    // Counts each row that the scan by time reads, because it finds messages of all teams.
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
      if (hasFlags(filter) || filter.mailboxPath !== undefined) return entries.get(bound);
      if ((filter.after ?? 0) > 0) return behind.get(bound);
      return counters.get(bindMailboxes(owner, scope, filter));
    };
    const expired = past.get({ ...bound, ...bindVisibility(visibility) })?.expired ?? 0;
    return { total: (all()?.total ?? 0) - expired, expired };
  };
}
