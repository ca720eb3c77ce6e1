import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { EventType, Journal, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';

type Row = {
  number: number;
  type: EventType;
  message_id: number;
  message_number: number;
  account_id: number;
  mailbox_id: number;
  at: number;
  subject: string | null;
  is_read: number | null;
  is_flagged: number | null;
  message_ids: string | null;
};

const columns = `number, type, message_id, message_number, account_id, mailbox_id, at, subject, is_read, is_flagged,
  message_ids`;

function toEvent(row: Row): MailEvent {
  const common = {
    number: row.number,
    messageId: row.message_id,
    messageNumber: row.message_number,
    accountId: row.account_id,
    mailboxId: row.mailbox_id,
    at: new Date(row.at),
  };
  if (row.type === 'message.received') return { ...common, type: row.type, subject: row.subject ?? '' };
  if (row.type === 'message.deleted') return { ...common, type: row.type };
  const { type, message_ids: ids } = row;
  const together = ids === null ? {} : { messageIds: JSON.parse(ids) };
  return { ...common, type, isRead: row.is_read === 1, isFlagged: row.is_flagged === 1, ...together };
}

export function journalReads(db: DatabaseSync): Sync<Journal> {
  const heads = query<{ id: number; head: number }>(
    db,
    'SELECT id, head FROM team WHERE id IN (SELECT value FROM json_each(:teams))',
  );
  const read = query<Row>(
    db,
    `SELECT ${columns} FROM event WHERE owner = :team AND number > :after ORDER BY number ${limited}`,
  );
  const latest = query<Row>(
    db,
    `SELECT ${columns} FROM event WHERE owner = :team AND type IN (SELECT value FROM json_each(:types))
       AND (:account IS NULL OR account_id = :account) AND (:mailbox IS NULL OR mailbox_id = :mailbox)
     ORDER BY number DESC LIMIT 1`,
  );
  const existing = query<{ number: number }>(
    db,
    'SELECT number FROM message WHERE id = :message AND owner = :team',
  );
  const deleted = query<{ number: number }>(
    db,
    `SELECT message_number AS number FROM event
     WHERE message_id = :message AND type = 'message.deleted' AND owner = :team`,
  );
  return {
    heads(teams) {
      const found = new Map(heads.all({ teams: JSON.stringify(teams) }).map(({ id, head }) => [id, head]));
      return new Map(teams.map((team) => [team, found.get(team) ?? 0]));
    },
    read: (team, after, limit) => read.all({ team, after, limit }).map(toEvent),
    latest(team, { types, accountId, mailboxId }) {
      const wanted = { types: JSON.stringify(types), account: accountId, mailbox: mailboxId };
      const row = latest.get({ team, ...wanted });
      return row === undefined ? null : toEvent(row);
    },
    messageNumber(team, message) {
      return (existing.get({ team, message }) ?? deleted.get({ team, message }))?.number ?? null;
    },
  };
}

/** Numbers and writes a team's events in the caller's transaction. */
export type JournalAppender = {
  next(owner: Id): number;
  /** Sets the newest number after events that already have their numbers. */
  advance(owner: Id, number: number): void;
  append(owner: Id, event: MailEvent): void;
};

export function journalAppender(db: DatabaseSync): JournalAppender {
  const advance = query<{ head: number }>(
    db,
    'UPDATE team SET head = head + 1 WHERE id = :owner RETURNING head',
  );
  const set = query(db, 'UPDATE team SET head = :number WHERE id = :owner');
  const insert = query(
    db,
    `INSERT INTO event (owner, ${columns}) VALUES (:owner, :number, :type, :message, :messageNumber, :account, :mailbox,
       :at, :subject, :isRead, :isFlagged, :messageIds)`,
  );
  return {
    next(owner) {
      const row = advance.get({ owner });
      if (row === undefined) throw new Error(`the team ${owner} does not exist`);
      return row.head;
    },
    advance(owner, number) {
      if (set.run({ owner, number }).changes === 0) throw new Error(`the team ${owner} does not exist`);
    },
    append(owner, event) {
      const { number, type, messageId, messageNumber, accountId, mailboxId } = event;
      const updated = event.type === 'message.updated' ? event : null;
      insert.run({
        owner,
        number,
        type,
        message: messageId,
        messageNumber,
        account: accountId,
        mailbox: mailboxId,
        at: event.at.getTime(),
        subject: event.type === 'message.received' ? event.subject : null,
        isRead: updated && bit(updated.isRead),
        isFlagged: updated && bit(updated.isFlagged),
        messageIds: updated?.messageIds === undefined ? null : JSON.stringify(updated.messageIds),
      });
    },
  };
}
