import type { DatabaseSync } from 'node:sqlite';
import { bodyRows } from '#adapters/stores/sqlite/bodies/bodies.ts';
import type { FoundReads, FoundWrites } from '#adapters/stores/sqlite/messages/found-reader.ts';
import {
  fewAtOnce,
  messageRemoval,
  type RowRemoval,
  selectForRemoval,
} from '#adapters/stores/sqlite/messages/message-removal.ts';
import { bindVisibility } from '#adapters/stores/sqlite/messages/message-scope.ts';
import { onThread } from '#adapters/stores/sqlite/workers/calls.ts';
import { limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Thread } from '#adapters/threads/thread.ts';
import { withinBytes } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';
import type { Store, UpkeepStep, UpkeepWork } from '#core/store.ts';
import { softDeleteContents } from './soft-delete.ts';

/** Work done in one transaction in the writer thread. */
type WriteWork = Exclude<UpkeepWork, { do: 'fill-columns' }>;

type Work<Do extends WriteWork['do']> = (
  work: Extract<WriteWork, { do: Do }>,
  limit: number,
) => Partial<UpkeepStep>;

/**
 * Upkeep. A search thread reads the contents of unfilled rows, because contents may be long. The thread is not started if there are no
 * such rows.
 */
export function openUpkeep(reader: DatabaseSync, writer: Thread, searcher: Thread): Store['upkeep'] {
  const anyUnfilled = query(
    reader,
    'SELECT 1 FROM message INDEXED BY message_untraited WHERE traits IS NULL LIMIT 1',
  );
  const { run } = onThread<UpkeepWrites>(writer, 'upkeep', { run: true });
  const { unfilled } = onThread<Pick<FoundReads, 'unfilled'>>(searcher, 'messages', { unfilled: true });
  const { fill } = onThread<FoundWrites>(writer, 'messages', { fill: true });
  return async (work, limit) => {
    if (work.do !== 'fill-columns') return run(work, limit);
    const rows = anyUnfilled.get({}) === undefined ? [] : await unfilled(limit);
    if (rows.length > 0) await fill(rows);
    return { more: rows.length > 0, removed: [] };
  };
}

export type UpkeepWrites = { run(work: WriteWork, limit: number): UpkeepStep };

export function upkeepWrites(db: DatabaseSync): UpkeepWrites {
  const removeRows = messageRemoval(db);
  const old = (table: 'audit_entry' | 'refusal') => {
    const remove = query(
      db,
      `DELETE FROM ${table} WHERE id IN (
         SELECT id FROM ${table} INDEXED BY ${table}_age WHERE at < :before ORDER BY at ${limited})`,
    );
    return ({ before }: { before: Date }, limit: number) => ({
      more: remove.run({ before: before.getTime(), limit }).changes === limit,
    });
  };
  const expired = ['session', 'invitation', 'failure', 'share'].map((table) =>
    query(db, `DELETE FROM ${table} WHERE expires_at <= :now`),
  );
  const works: { [Do in WriteWork['do']]: Work<Do> } = {
    'remove-expired-messages': expiredMessages(db, removeRows),
    'remove-soft-deleted': softDeleted(db, removeRows),
    'remove-orphan-bodies': orphanBodies(db),
    'remove-expired-secrets'({ now }) {
      for (const remove of expired) remove.run({ now: now.getTime() });
      return {};
    },
    'prune-audit-log': old('audit_entry'),
    'prune-refusals': old('refusal'),
    'prune-journal': oldEvents(db),
  };
  return {
    run: (work, limit) => ({ more: false, removed: [], ...works[work.do](work as never, limit) }),
  };
}

function expiredMessages(db: DatabaseSync, removeRows: RowRemoval): Work<'remove-expired-messages'> {
  const pastRetention = selectForRemoval(
    db,
    'FROM message m INDEXED BY message_received WHERE m.received_at <= :horizon',
    fewAtOnce,
  );
  const pastExpiry = selectForRemoval(
    db,
    'FROM message m INDEXED BY message_expiry WHERE m.auto_delete = 1 AND m.expires_at <= :now',
    fewAtOnce,
  );
  return ({ visibility }, limit) => {
    const { now, horizon } = bindVisibility(visibility);
    const old = pastRetention.all({ horizon, limit });
    const rows = old.length > 0 ? old : pastExpiry.all({ now, limit });
    return { more: rows.length > 0, removed: removeRows(withinBytes(rows), visibility.now) };
  };
}

/**
 * Maximum mailboxes and accounts marked or removed in one transaction, which takes some milliseconds and lets deliveries commit
 * in between.
 */
const mailboxesAtOnce = 500;
const accountsAtOnce = 10;

/** Removes messages of soft-deleted mailboxes. When no messages are left, removes the mailboxes, their accounts and their domains. */
function softDeleted(db: DatabaseSync, removeRows: RowRemoval): Work<'remove-soft-deleted'> {
  const contents = softDeleteContents(db);
  const domainsOfTeams = query(
    db,
    `UPDATE domain SET deleted_at = :at WHERE deleted_at IS NULL
       AND owner IN (SELECT id FROM team INDEXED BY team_deleted WHERE deleted_at IS NOT NULL)`,
  );
  const someDeleted = (table: string) =>
    `SELECT id FROM ${table} INDEXED BY ${table}_deleted WHERE deleted_at IS NOT NULL LIMIT ${mailboxesAtOnce}`;
  const deleted = query<{ id: Id }>(db, someDeleted('mailbox'));
  const inMailboxes = selectForRemoval(
    db,
    `FROM json_each(:mailboxes) b CROSS JOIN message m INDEXED BY message_mailbox WHERE m.mailbox_id = b.value`,
    fewAtOnce,
  );
  const clear = ['mailbox', 'account', 'domain'].map((table) =>
    query(db, `DELETE FROM ${table} WHERE id IN (${someDeleted(table)})`),
  );
  const removeTeams = deletedTeams(db);
  return ({ now }, limit) => {
    domainsOfTeams.run({ at: now.getTime() });
    const marked = deleted.all().length < mailboxesAtOnce ? contents.ofDeletedDomains(accountsAtOnce) : 0;
    const mailboxes = JSON.stringify(deleted.all().map(({ id }) => id));
    const rows = withinBytes(inMailboxes.all({ mailboxes, limit }));
    if (rows.length > 0) return { more: true, removed: removeRows(rows, now) };
    // Deletes the mailboxes read above, which stay empty. Their accounts and domains follow when they have no mailboxes left.
    const cleared = clear.some((statement) => statement.run().changes > 0) || marked > 0;
    return { more: cleared || removeTeams(limit) };
  };
}

/** Removes deleted teams that have no domains left, not even domains moving from or to them. Returns whether any such teams existed. */
function deletedTeams(db: DatabaseSync): (limit: number) => boolean {
  const empty = query<{ id: Id }>(
    db,
    `SELECT t.id FROM team t INDEXED BY team_deleted WHERE t.deleted_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM domain WHERE owner = t.id AND deleted_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM domain INDEXED BY domain_deleted WHERE deleted_at IS NOT NULL AND owner = t.id)
       AND NOT EXISTS (SELECT 1 FROM domain_move WHERE t.id IN (from_team, to_team)) ${limited}`,
  );
  const removeEvents = query(
    db,
    `DELETE FROM event WHERE (owner, number) IN (SELECT owner, number FROM event WHERE owner = :id ${limited})`,
  );
  const removeAudit = query(
    db,
    `DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry WHERE team_id = :id ${limited})`,
  );
  const removeRefusals = query(db, 'DELETE FROM refusal WHERE team_id = :id');
  const removeClaim = query(db, 'DELETE FROM claim WHERE owner = :id');
  const removeOrphans = query(db, 'DELETE FROM orphan WHERE owner = :id');
  const remove = query(db, 'DELETE FROM team WHERE id = :id');
  return (limit) => {
    const teams = empty.all({ limit });
    for (const { id } of teams) {
      if (removeEvents.run({ id, limit }).changes + removeAudit.run({ id, limit }).changes > 0) continue;
      removeRefusals.run({ id });
      removeClaim.run({ id });
      removeOrphans.run({ id });
      remove.run({ id });
    }
    return teams.length > 0;
  };
}

function orphanBodies(db: DatabaseSync): Work<'remove-orphan-bodies'> {
  const bodies = bodyRows(db);
  const orphans = query<{ id: Id }>(
    db,
    `SELECT id FROM body INDEXED BY body_orphan WHERE messages = 0 AND begun_at < :horizon ${limited}`,
  );
  return ({ before }, limit) => {
    const rows = orphans.all({ horizon: before.getTime(), limit });
    for (const { id } of rows) bodies.remove(id);
    return { more: rows.length === limit };
  };
}

function oldEvents(db: DatabaseSync): Work<'prune-journal'> {
  const teams = query<{ id: Id; head: number }>(db, 'SELECT id, head FROM team WHERE head > 0');
  // Times ascend with event numbers, so all events before the first recent one are old.
  const firstYoung = query<{ number: number }>(
    db,
    'SELECT number FROM event WHERE owner = :team AND at >= :horizon ORDER BY number LIMIT 1',
  );
  const prune = query(db, 'DELETE FROM event WHERE owner = :team AND number < :below');
  return ({ before, keep }) => {
    for (const { id: team, head } of teams.all()) {
      const young = firstYoung.get({ team, horizon: before.getTime() })?.number ?? head + 1;
      prune.run({ team, below: Math.max(young, head - keep + 1) });
    }
    return {};
  };
}
