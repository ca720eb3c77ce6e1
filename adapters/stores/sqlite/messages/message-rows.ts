import type { DatabaseSync } from 'node:sqlite';
import { bit, date, type FieldsOf, json, nullable, plain, selection } from '#adapters/stores/rows/table.ts';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { contentOf, foundIn, type StoredContent } from '#core/messages/mail-record.ts';
import type { Envelope, Listed, Message, MessageSummary, Visibility } from '#core/messages/message.ts';
import { isVisible } from '#core/messages/retention.ts';
import { readTags, tagsColumn, traceColumn } from './message-keys.ts';

/**
 * Summary from a row. `code` is undefined in a row written by a version without these columns, until upkeep fills it: the code and the
 * link then come from the content.
 */
export type RowSummary = Omit<MessageSummary, 'code'> & { code: string | null | undefined };

export const isFilled = <Row extends RowSummary>(row: Row): row is Row & MessageSummary =>
  row.code !== undefined;

const id = plain<Id>();
const text = plain<string>();
const maybeText = plain<string | null>();

/** Message fields that bulk changes compare. */
export const listedFields: FieldsOf<Listed> = {
  id,
  number: id,
  mailboxId: id,
  sizeBytes: id,
  isRead: bit,
  isFlagged: bit,
  tags: {
    columns: [''],
    toColumns: (tags) => [tagsColumn(tags)],
    fromColumns: (tags) => readTags(tags as string | null),
  },
};

const summaryFields: FieldsOf<RowSummary> = {
  ...listedFields,
  accountId: id,
  msgid: maybeText,
  subject: text,
  intro: text,
  // An empty string means that there is no code, because NULL marks an unfilled row.
  code: {
    columns: [''],
    toColumns: (code) => [code ?? ''],
    fromColumns: (code) => (code === null ? undefined : String(code) || null),
  },
  mainLink: maybeText,
  threadId: plain('(SELECT c.earliest FROM conversation c WHERE c.id = m.conversation_id AND c.size > 1)'),
  fromAddress: text,
  fromName: maybeText,
  toAddresses: json<string[]>(),
  receivedAt: date(),
  expiresAt: nullable(date()),
  autoDelete: bit,
  hasAttachments: bit,
  traceId: plain(traceColumn),
  copy: bit,
};

/** Summary of a `message` row with the alias m. */
export const summaries = selection(summaryFields, 'm');
const withBody = selection({ ...summaryFields, bodyId: id }, 'm');
const whole = selection<Omit<Message, 'code'> & Pick<RowSummary, 'code'>>(
  {
    ...summaryFields,
    deliveredTo: plain<string>('t.delivered_to'),
    tag: plain<string | null>('t.tag'),
    envelope: json<Envelope>('t.envelope'),
    content: {
      columns: ['d.json', 'd.text', 'd.html'],
      fromColumns: (json, text, html) => contentOf({ json, text, html } as StoredContent),
    },
  },
  'm',
);

/** Reads one of an owner's messages, with or without the fields that lists omit. If `visibility` is null, also finds expired messages. */
export function messageReader(db: DatabaseSync): {
  summary(owner: Id, id: Id, visibility: Visibility): (RowSummary & { bodyId: Id }) | null;
  message(owner: Id, id: Id, visibility: Visibility | null): Message | null;
} {
  const inMailbox = `JOIN mailbox b ON b.id = m.mailbox_id
    WHERE m.id = :id AND m.owner = :owner AND ${isNotDeleted('b')}`;
  const summary = query(db, `SELECT ${withBody.columns} FROM message m ${inMailbox}`, withBody.toRow);
  const message = query(
    db,
    `SELECT ${whole.columns}
     FROM message m JOIN trace t ON t.message_id = m.id JOIN content d ON d.body_id = m.body_id ${inMailbox}`,
    whole.toRow,
  );
  return {
    summary(owner, id, visibility) {
      const found = summary.get({ owner, id });
      return found && isVisible(found, visibility) ? found : null;
    },
    message(owner, id, visibility) {
      const row = message.get({ owner, id });
      if (row === undefined || (visibility !== null && !isVisible(row, visibility))) return null;
      return isFilled(row) ? row : { ...row, ...foundIn(row.content) };
    },
  };
}
