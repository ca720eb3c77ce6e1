import { type MessageRow, never, type SearchFields } from '#adapters/stores/mongo/schema/rows.ts';
import type { PreparedMail, PreparedTarget, SearchColumns } from '#core/delivery/delivery.ts';
import type { NewMessage } from '#core/delivery/plan-delivery.ts';
import type { Id } from '#core/ids.ts';
import type { Found } from '#core/messages/content.ts';
import { foundIn } from '#core/messages/mail-record.ts';
import type { Message, MessageSummary, Visibility } from '#core/messages/message.ts';
import type { FlagFilter, MessageFilter } from '#core/messages/message-filter.ts';
import { retagged, withKeys } from '#core/messages/traits.ts';
import { traitLetters, traitsIn } from './trait-letters.ts';

type Flagged = Pick<MessageSummary, 'isRead' | 'isFlagged' | 'hasAttachments'>;

/** Bits of a row's `marks`. The bits form one number, so a single index serves each combination of flags. */
const bits: Record<FlagFilter, { bit: number; of: (message: Flagged) => boolean }> = {
  unread: { bit: 1, of: ({ isRead }) => !isRead },
  flagged: { bit: 2, of: ({ isFlagged }) => isFlagged },
  hasAttachments: { bit: 4, of: ({ hasAttachments }) => hasAttachments },
};
const flags = Object.entries(bits) as [FlagFilter, (typeof bits)[FlagFilter]][];

export function marksOf(message: Flagged): number {
  return flags.reduce((marks, [, { bit, of }]) => marks + (of(message) ? bit : 0), 0);
}

/** Returns the values of `marks` that pass a filter. Null if the filter contains no flag. */
export function marksFor(filter: MessageFilter): number[] | null {
  const named = flags.filter(([name]) => filter[name] !== undefined);
  if (named.length === 0) return null;
  const passes = (marks: number) => named.every(([name, { bit }]) => ((marks & bit) !== 0) === filter[name]);
  return Array.from({ length: 2 ** flags.length }, (_, marks) => marks).filter(passes);
}

/** Maximum characters of a row's search text: a list of 200 rows stays far below 16 MiB. */
const most = { searchField: 32_000 };

/** Condition for rows that are visible by age. Must agree with `isVisible`. */
export function unexpired({ now, receivedAfter }: Visibility) {
  return { receivedAt: { $gt: receivedAfter }, dueAt: { $gt: now } };
}

/** Returns the time when a message is removed before its retention ends, or `never`. */
export function dueAt({ expiresAt, autoDelete }: Pick<MessageSummary, 'expiresAt' | 'autoDelete'>): Date {
  return autoDelete && expiresAt !== null ? expiresAt : never;
}

export const summaryFields = {
  ...{ number: 1, accountId: 1, mailboxId: 1, mailId: 1, conversationId: 1, owner: 1 },
  ...{ msgid: 1, subject: 1, intro: 1, code: 1, mainLink: 1, fromAddress: 1, fromName: 1, toAddresses: 1 },
  ...{ receivedAt: 1, expiresAt: 1 },
  ...{
    autoDelete: 1,
    sizeBytes: 1,
    isRead: 1,
    isFlagged: 1,
    hasAttachments: 1,
    tags: 1,
    traceId: 1,
    copy: 1,
  },
} as const;

export type SummaryRow = Pick<MessageRow, '_id' | keyof typeof summaryFields>;

/** Returns the code and link in a row, or null for a row that lacks them. */
export function foundInRow({ code, mainLink = null }: Pick<MessageRow, 'code' | 'mainLink'>): Found | null {
  return code === undefined || code === null ? null : { code: code || null, mainLink };
}

export function toSummary(row: SummaryRow, threadId: Id | null, { code, mainLink }: Found): MessageSummary {
  // Names each field because spreading the rest of another object costs ten times as much.
  return {
    id: row._id,
    threadId,
    number: row.number,
    accountId: row.accountId,
    mailboxId: row.mailboxId,
    msgid: row.msgid,
    subject: row.subject,
    intro: row.intro,
    code,
    mainLink,
    fromAddress: row.fromAddress,
    fromName: row.fromName,
    toAddresses: row.toAddresses,
    receivedAt: row.receivedAt,
    expiresAt: row.expiresAt,
    autoDelete: row.autoDelete,
    sizeBytes: row.sizeBytes,
    isRead: row.isRead,
    isFlagged: row.isFlagged,
    hasAttachments: row.hasAttachments,
    tags: row.tags ?? [],
    traceId: row.traceId ?? null,
    copy: row.copy,
  };
}

/** Projection that omits search fields, which may be long and which responses do not show. */
export const unseenFields = {
  ...{ search: 0, siblings: 0, ownToken: 0, references: 0, traits: 0, keys: 0 },
} as const;

export type SeenRow = Omit<MessageRow, keyof typeof unseenFields>;

export function toMessage(row: SeenRow, threadId: Id | null, content: Message['content']): Message {
  const { envelope, deliveredTo, tag } = row;
  const found = foundInRow(row) ?? foundIn(content);
  return { ...toSummary(row, threadId, found), envelope, deliveredTo, tag, content };
}

/** Creates the row of a new message. `siblings` are the ids of all of its email's messages, or null for a single message. */
export function newRow(
  {
    id,
    number,
    mailboxId,
    mail,
    target,
    flags,
    sentCopy,
  }: NewMessage<PreparedMail & { mailId: Id; ids: Id[] }>,
  conversationId: Id | null,
): MessageRow {
  const { mailId, ids, sizeBytes, receivedAt, msgid, subject, intro, hasAttachments, tokens } = mail;
  const { code, mainLink, traceId } = mail;
  const { tags, keys, traits } = target;
  const { owner, accountId, envelope, deliveredTo, tag, fromAddress, fromName, toAddresses, countedBytes } =
    target;
  return {
    // First in the row, so a search finds this field without passing the others, which took a fifth of the search's time.
    search: searchFields(mail.search, target),
    ...{ _id: id, mailId, siblings: ids.length > 1 ? ids : null, number, owner, accountId, mailboxId },
    ...{ sizeBytes, receivedAt, envelope, deliveredTo, tag },
    ...(countedBytes !== sizeBytes && { countedBytes }),
    ...{ msgid, subject, fromAddress, fromName, toAddresses, intro, code: code ?? '', mainLink },
    ...(tags.length > 0 && { tags }),
    ...(traceId !== null && { traceId }),
    ...{ traits: traitLetters(traits), keys, hasAttachments, marks: marksOf({ ...flags, hasAttachments }) },
    ...{ ...flags, dueAt: dueAt(flags), sentCopy },
    ...{ ownToken: tokens.own, references: tokens.references, conversationId },
  };
}

/** Returns a row's search fields. If they are too long, `text` is null, and `searchPieces` contains the fields. */
function searchFields(search: SearchColumns, target: PreparedTarget): SearchFields {
  const clip = (field: string) => field.slice(0, most.searchField);
  const { text } = search;
  return {
    subject: clip(search.subject),
    from: clip(search.sender),
    to: clip(recipientsText(search, target)),
    text: fitsRow(search, target) && typeof text === 'string' ? text : null,
  };
}

/** Checks whether a row has space for all search fields. */
export function fitsRow(search: SearchColumns, target: PreparedTarget): boolean {
  const { subject, sender, text } = search;
  const fields = [subject, sender, recipientsText(search, target)];
  return (
    typeof text === 'string' &&
    text.length <= most.searchField &&
    fields.every((field) => field.length <= most.searchField)
  );
}

/** Joins the recipients. The owner's recipients come first, so a header with thousands of others does not displace them. */
function recipientsText({ recipients }: SearchColumns, { ownRecipients }: PreparedTarget): string {
  return recipients === '' ? ownRecipients : `${ownRecipients}\n${recipients}`;
}

/** Returns the fields that new tags change. If a row is unfilled, upkeep adds its keys and traits. */
export function tagFields(
  { traits, keys }: Pick<MessageRow, 'traits' | 'keys'>,
  tags: string[],
): Pick<MessageRow, 'tags' | 'keys' | 'traits'> {
  if (traits === undefined || traits === null || keys === undefined) return { tags };
  const all = retagged(keys, tags);
  return { tags, keys: all, traits: traitLetters(withKeys(traitsIn(traits), all)) };
}
