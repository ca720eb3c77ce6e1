import type { DatabaseSync } from 'node:sqlite';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { date, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { contentOf, foundIn } from '#core/messages/mail-record.ts';
import type { Message, MessageSummary, Visibility } from '#core/messages/message.ts';
import { isVisible } from '#core/messages/retention.ts';
import { readTags, traceColumn } from './message-keys.ts';

/** Row of `message` as lists read it. */
export type SummaryRow = {
  id: number;
  number: number;
  account_id: number;
  mailbox_id: number;
  msgid: string | null;
  subject: string;
  intro: string;
  code: string | null;
  main_link: string | null;
  thread_id: number | null;
  from_address: string;
  from_name: string | null;
  to_addresses: string;
  received_at: number;
  expires_at: number | null;
  auto_delete: number;
  size_bytes: number;
  is_read: number;
  is_flagged: number;
  has_attachments: number;
  tags: string | null;
  trace_id: string | null;
  copy: number;
};

/** Columns of SummaryRow, of `message` under the name m. */
export const summaryColumns = `m.id, m.number, m.account_id, m.mailbox_id, m.msgid, m.subject, m.intro, m.code, m.main_link,
  (SELECT c.earliest FROM conversation c WHERE c.id = m.conversation_id AND c.size > 1) AS thread_id, m.from_address, m.from_name,
  m.to_addresses, m.received_at, m.expires_at, m.auto_delete, m.size_bytes, m.is_read, m.is_flagged, m.has_attachments, m.tags, ${traceColumn} AS trace_id,
  m.copy`;

/**
 * Summary of a row. `code` is undefined in a row that a version without these columns wrote, until upkeep fills it: its code and
 * its link are then those of its content.
 */
export type RowSummary = Omit<MessageSummary, 'code'> & { code: string | null | undefined };

export const isFilled = (row: RowSummary): row is MessageSummary => row.code !== undefined;

export function toSummary(row: SummaryRow): RowSummary {
  return {
    id: row.id,
    number: row.number,
    accountId: row.account_id,
    mailboxId: row.mailbox_id,
    msgid: row.msgid,
    subject: row.subject,
    intro: row.intro,
    // An empty text stands for no code, since NULL stands for an unfilled row.
    code: row.code === null ? undefined : row.code || null,
    mainLink: row.main_link,
    threadId: row.thread_id,
    fromAddress: row.from_address,
    fromName: row.from_name,
    toAddresses: JSON.parse(row.to_addresses),
    receivedAt: new Date(row.received_at),
    expiresAt: date(row.expires_at),
    autoDelete: row.auto_delete === 1,
    sizeBytes: row.size_bytes,
    isRead: row.is_read === 1,
    isFlagged: row.is_flagged === 1,
    hasAttachments: row.has_attachments === 1,
    tags: readTags(row.tags),
    traceId: row.trace_id,
    copy: row.copy === 1,
  };
}

type MessageRow = SummaryRow & {
  body_id: number;
  delivered_to: string;
  tag: string | null;
  envelope: string;
  json: string;
  text: string | null;
  html: string | null;
};

function toMessage(row: MessageRow): Message {
  const content = contentOf(row);
  const summary = toSummary(row);
  const { code, mainLink } = isFilled(summary) ? summary : foundIn(content);
  return {
    ...summary,
    code,
    mainLink,
    envelope: JSON.parse(row.envelope),
    deliveredTo: row.delivered_to,
    tag: row.tag,
    content,
  };
}

/**
 * Reads one message of an owner, with or without the fields that lists leave out. A `visibility` of null finds expired
 * messages too.
 */
export function messageReader(db: DatabaseSync): {
  summary(owner: Id, id: Id, visibility: Visibility): (RowSummary & { bodyId: Id }) | null;
  message(owner: Id, id: Id, visibility: Visibility | null): Message | null;
} {
  const inMailbox = `JOIN mailbox b ON b.id = m.mailbox_id
    WHERE m.id = :id AND m.owner = :owner AND ${isNotDeleted('b')}`;
  const summary = query<SummaryRow & { body_id: number }>(
    db,
    `SELECT ${summaryColumns}, m.body_id FROM message m ${inMailbox}`,
  );
  const whole = query<MessageRow>(
    db,
    `SELECT ${summaryColumns}, m.body_id, t.delivered_to, t.tag, t.envelope, d.json, d.text, d.html
     FROM message m JOIN trace t ON t.message_id = m.id JOIN content d ON d.body_id = m.body_id ${inMailbox}`,
  );
  return {
    summary(owner, id, visibility) {
      const row = summary.get({ owner, id });
      const found = row && { ...toSummary(row), bodyId: row.body_id };
      return found && isVisible(found, visibility) ? found : null;
    },
    message(owner, id, visibility) {
      const row = whole.get({ owner, id });
      const found = row && toMessage(row);
      return found && (visibility === null || isVisible(found, visibility)) ? found : null;
    },
  };
}
