import { boundSummary, boundTexts, wholeSummary } from './bounds.ts';
import type { AuditChecks, Authentication, MessageContent, SearchTexts } from './content.ts';
import { foundIn } from './content.ts';
import type { Message, MessageSummary } from './message.ts';
import { hashTokens, type ThreadTokens, threadTokens } from './threads.ts';

/** Text, as UTF-8 bytes if it is long: they can be moved to another thread, and a string is copied twice. */
export type StoredText = string | Uint8Array<ArrayBuffer>;

/** Length in characters from which a text is kept as bytes. */
const longText = 1_048_576;

/** Parts in which stores keep the content of a message. `json` is all of it except its texts. */
export type StoredContent = { json: StoredText; text: StoredText | null; html: StoredText | null };

/**
 * Content of a mail as stores keep it, made in the thread that examines the mail. `fromAddress` is '' and `toAddresses` empty
 * where the header has none. `tokens` are hashed. `submissionBytes`: those of the request to a provider, in JSON.
 */
export type MailRecord = StoredContent &
  Pick<
    MessageSummary,
    | 'msgid'
    | 'subject'
    | 'intro'
    | 'code'
    | 'mainLink'
    | 'hasAttachments'
    | 'fromAddress'
    | 'fromName'
    | 'toAddresses'
  > & {
    tokens: ThreadTokens;
    search: Omit<SearchTexts, 'text'> & { text: StoredText };
    submissionBytes: number;
  };

/**
 * Makes the record of a content, with the texts cut to what messages show. JSON takes what databases refuse: MIME trees of
 * any depth, and headers with unpaired surrogates.
 */
export function mailRecord(content: MessageContent): MailRecord {
  const { text, html, search, ...rest } = { ...content, ...boundTexts(content) };
  return {
    ...boundSummary(wholeSummary(content, { mailFrom: '', rcptTo: [] })),
    ...foundIn(content),
    intro: content.intro,
    hasAttachments: content.attachments.length > 0,
    tokens: hashTokens(threadTokens(content)),
    search: { ...search, text: storedText(search.text) },
    submissionBytes: content.submission === undefined ? 0 : jsonBytes(content.submission),
    json: storedText(JSON.stringify(rest)),
    text: text && storedText(text),
    html: html && storedText(html),
  };
}

/** Length of a value in JSON, in bytes of UTF-8. */
export function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Returns the content that was stored. */
export function contentOf({ json, text, html }: StoredContent): Message['content'] {
  type Rest = Omit<Message['content'], 'text' | 'html' | 'date'> & { date: string | null };
  const { date, ...rest }: Rest = JSON.parse(plainText(json));
  return {
    ...rest,
    date: date === null ? null : new Date(date),
    text: text && plainText(text),
    html: html && plainText(html),
  };
}

/** Replaces the results of the checks of a mail, by those of an earlier examination. */
export function withChecks(
  record: MailRecord,
  checks: { authentication: Authentication; audit: AuditChecks },
): MailRecord {
  const json = JSON.stringify({ ...JSON.parse(plainText(record.json)), ...checks });
  return { ...record, json: storedText(json) };
}

/** Lists the long texts of a record: they can be moved to another thread. */
export function longTexts({
  json,
  text,
  html,
  search,
}: StoredContent & Pick<MailRecord, 'search'>): Uint8Array<ArrayBuffer>[] {
  return [json, text, html, search.text].filter((part) => part instanceof Uint8Array);
}

/** Returns the length of a stored text in bytes of UTF-8. */
export function storedBytes(text: StoredText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length;
}

export function plainText(text: StoredText): string {
  return typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString();
}

function storedText(text: string): StoredText {
  return text.length < longText ? text : new TextEncoder().encode(text);
}
