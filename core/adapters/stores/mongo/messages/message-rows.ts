import type { MailboxPlace } from '#core/adapters/stores/mongo/delivery/judge-deliveries.ts';
import { type MessageRow, never, type SearchFields } from '#core/adapters/stores/mongo/schema/rows.ts';
import { hashTokens } from '#core/adapters/stores/mongo/threads/conversations.ts';
import type { DeliveryTarget, PreparedMail } from '#core/delivery/delivery.ts';
import { envelopeText, foldText, searchLines } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { boundSummary, wholeSummary } from '#core/messages/bounds.ts';
import type { MessageContent } from '#core/messages/content.ts';
import type { Message, MessageSummary, Visibility } from '#core/messages/message.ts';
import { threadTokens } from '#core/messages/thread.ts';
import { marksOf } from './message-marks.ts';

/** Characters that a row holds of what has no bound: a list of 200 rows stays far below 16 MiB. */
const most = { searchField: 32_000 };

/** Visible by age; must agree with `isVisible`. */
export function unexpired({ now, receivedAfter }: Visibility) {
  return { receivedAt: { $gt: receivedAfter }, dueAt: { $gt: now } };
}

/** When a message is to be removed before its retention ends. */
export function dueAt({ expiresAt, autoDelete }: Pick<MessageSummary, 'expiresAt' | 'autoDelete'>): Date {
  return autoDelete && expiresAt !== null ? expiresAt : never;
}

/** What lists read of a row. */
export const summaryFields = {
  ...{ number: 1, accountId: 1, mailboxId: 1, mailId: 1, conversationId: 1 },
  ...{
    msgid: 1,
    subject: 1,
    intro: 1,
    fromAddress: 1,
    fromName: 1,
    toAddresses: 1,
    receivedAt: 1,
    expiresAt: 1,
  },
  ...{ autoDelete: 1, sizeBytes: 1, isRead: 1, isFlagged: 1, hasAttachments: 1, copy: 1 },
} as const;

export type SummaryRow = Pick<MessageRow, '_id' | keyof typeof summaryFields>;

export function toSummary(row: SummaryRow, threadId: Id | null): MessageSummary {
  // Rows of earlier versions may hold more. Field by field: the rest of another object costs ten times as much.
  const shown = boundSummary(row);
  return {
    id: row._id,
    threadId,
    number: row.number,
    accountId: row.accountId,
    mailboxId: row.mailboxId,
    msgid: shown.msgid,
    subject: shown.subject,
    intro: row.intro,
    fromAddress: shown.fromAddress,
    fromName: shown.fromName,
    toAddresses: shown.toAddresses,
    receivedAt: row.receivedAt,
    expiresAt: row.expiresAt,
    autoDelete: row.autoDelete,
    sizeBytes: row.sizeBytes,
    isRead: row.isRead,
    isFlagged: row.isFlagged,
    hasAttachments: row.hasAttachments,
    copy: row.copy,
  };
}

/** What no reader sees of a row: it may be long. */
export const unseenFields = { search: 0, siblings: 0, ownToken: 0, references: 0 } as const;

export type SeenRow = Omit<MessageRow, keyof typeof unseenFields>;

export function toMessage(row: SeenRow, threadId: Id | null, content: Message['content']): Message {
  const { envelope, deliveredTo, tag } = row;
  return { ...toSummary(row, threadId), envelope, deliveredTo, tag, content };
}

/** A message as one target of a mail gets it. */
export function newRow(
  mail: PreparedMail,
  target: DeliveryTarget,
  place: MailboxPlace,
  keys: Pick<MessageRow, '_id' | 'mailId' | 'siblings' | 'number'>,
): MessageRow {
  const { content, receivedAt, sizeBytes } = mail;
  const { owner, accountId, envelope, deliveredTo, tag } = target;
  const { own, references } = hashTokens(threadTokens(content, mail.targets.length));
  const flags = flagsOf(target.mailbox);
  const hasAttachments = content.attachments.length > 0;
  const shown = boundSummary(wholeSummary(content, envelope));
  return {
    // First, so that a search finds it without passing the other fields of each row: that was a fifth of its time.
    search: searchFields(content, target),
    ...{ ...keys, owner, accountId, mailboxId: place.id, sizeBytes, receivedAt, envelope, deliveredTo, tag },
    ...shown,
    intro: content.intro,
    ...{ hasAttachments, marks: marksOf({ ...flags, hasAttachments }) },
    ...{ ...flags, dueAt: dueAt(flags), sentCopy: isSentCopy(flags.copy, place.pathKey) },
    ...{ ownToken: own, references, conversationId: null },
  };
}

/** A new message is unread and a copy in Sent read; one out of an archive is as it was. */
function flagsOf(mailbox: DeliveryTarget['mailbox']) {
  if (typeof mailbox === 'string') {
    const copy = mailbox === 'Sent';
    return { isRead: copy, isFlagged: false, expiresAt: null, autoDelete: true, copy };
  }
  const { id: _, ...flags } = mailbox;
  return flags;
}

const sentKey = pathKey('Sent');

/** Whether a message is what a send left in Sent, and lies there. */
export function isSentCopy(copy: boolean, mailboxKey: string): boolean {
  return copy && mailboxKey === sentKey;
}

/**
 * The lines of the search text (`search-text.ts`): subject, sender if there is one, recipients, text. A mail without
 * sender in its header is found by that of its envelope, and any by whom it was written to.
 */
function searchFields(content: MessageContent, target: DeliveryTarget): SearchFields {
  const { lines, text } = searchLines(content.searchText);
  const [subject = '', ...people] = lines;
  const from = content.from === null ? foldText(target.envelope.mailFrom) : (people.shift() ?? '');
  const to = [envelopeText(target), ...people].join('\n');
  const fields = { subject, from, to, text };
  const long = Object.values(fields).some((field) => field.length > most.searchField);
  const clip = (field: string) => field.slice(0, most.searchField);
  return {
    subject: clip(subject),
    from: clip(from),
    to: recipientsText(target, people),
    text: long || typeof text !== 'string' ? null : text,
  };
}

/** Text searched by `to=`: the owner's recipients first, so that a header of thousands does not push them out. */
export function recipientsText(
  target: Pick<DeliveryTarget, 'envelope' | 'deliveredTo' | 'tag'>,
  named: string[],
): string {
  return [envelopeText(target), ...named].join('\n').slice(0, most.searchField);
}
