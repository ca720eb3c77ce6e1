import { type LimitName, limits } from '#core/limits.ts';
import type {
  AuditChecks,
  Authentication,
  Found,
  MessageContent,
  NamedAddress,
  SearchTexts,
} from './content.ts';
import type { Envelope, Message, MessageSummary } from './message.ts';
import { addressKey, recipientsOf } from './recipients.ts';
import { tagsOfHeaders } from './tags.ts';
import { hashTokens, type ThreadTokens, threadTokens } from './threads.ts';
import { type ParentSpan, parentOf } from './trace-context.ts';
import { keysOf, traitsOf, withKeys } from './traits.ts';

/** Text. Long text is stored as UTF-8 bytes, because bytes can be transferred to another thread, but a string is copied twice. */
export type StoredText = string | Uint8Array<ArrayBuffer>;

/** Length in characters above which text is stored as bytes. */
const longText = 262_144;

/** Parts into which stores split a message's content. `json` contains everything except the texts. */
export type StoredContent = { json: StoredText; text: StoredText | null; html: StoredText | null };

/**
 * Content of an email in the form that stores keep, created in the thread that examines the email. `fromAddress` is '' and `toAddresses`
 * is empty if the header contains no addresses. `tokens` are hashed. `submissionBytes`: size of the provider API request, as JSON.
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
    | 'tags'
    | 'traceId'
  > & {
    /** Bits of `traits.ts` that all of the email's messages have. */
    traits: number;
    tokens: ThreadTokens;
    search: Omit<SearchTexts, 'text'> & { text: StoredText };
    submissionBytes: number;
    /** Span that sent the email, if the trace is recorded. Stores do not keep the span. */
    parent: ParentSpan | null;
  };

/**
 * Creates the record of an email's content, with its texts truncated to what messages show. Uses JSON because it can express what
 * databases refuse: MIME trees of any depth, and headers with unpaired surrogates.
 */
export function mailRecord(content: MessageContent): MailRecord {
  const { text, html, search, ...rest } = { ...content, ...boundTexts(content) };
  return {
    ...boundSummary(wholeSummary(content, { mailFrom: '', rcptTo: [] })),
    ...foundIn(content),
    intro: content.intro,
    hasAttachments: content.attachments.length > 0,
    tags: tagsOfHeaders(content.headers),
    traceId: content.traceId ?? null,
    parent: parentOf(content),
    traits: traitsOf(content, content.html !== null),
    tokens: hashTokens(threadTokens(content)),
    search: { ...search, text: storedText(search.text) },
    submissionBytes: content.submission === undefined ? 0 : jsonBytes(content.submission),
    json: storedText(JSON.stringify(rest)),
    text: text && storedText(text),
    html: html && storedText(html),
  };
}

/**
 * Chooses an email's code and main link. If the email was stored by an earlier version, chooses the first link that has a purpose other
 * than unsubscribing.
 */
export function foundIn({
  codes,
  links,
  mainLink,
}: Pick<MessageContent, 'codes' | 'links' | 'mainLink'>): Found {
  const first = links.find(({ url, kind }) => kind !== 'other' && kind !== 'unsubscribe' && isWebLink(url));
  return {
    code: codes[0]?.value || null,
    mainLink: mainLink !== undefined ? mainLink : (first?.url ?? null),
  };
}

/** Checks whether a page may show a URL as a link, because an email can contain any scheme. */
const isWebLink = (url: string) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);

/** Returns the length of a value as JSON, in UTF-8 bytes. */
export function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export function contentOf({ json, text, html }: StoredContent): Message['content'] {
  type Rest = Omit<Message['content'], 'text' | 'html' | 'date'> & { date: string | null };
  const rest: Rest = JSON.parse(plainText(json));
  return {
    ...rest,
    date: rest.date === null ? null : new Date(rest.date),
    text: text && plainText(text),
    html: html && plainText(html),
  };
}

/** Replaces the results of an email's checks with those of an earlier examination. */
export function withChecks(
  record: MailRecord,
  checks: { authentication: Authentication; audit: AuditChecks },
): MailRecord {
  const content = { ...JSON.parse(plainText(record.json)), ...checks };
  return {
    ...record,
    json: storedText(JSON.stringify(content)),
    traits: traitsOf(content, record.html !== null),
  };
}

/** Lists a record's long texts, which can be transferred to another thread. */
export function longTexts({
  json,
  text,
  html,
  search,
}: StoredContent & Pick<MailRecord, 'search'>): Uint8Array<ArrayBuffer>[] {
  return [json, text, html, search.text].filter((part) => part instanceof Uint8Array);
}

/** Returns a stored text's length in UTF-8 bytes. */
export function storedBytes(text: StoredText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length;
}

export function plainText(text: StoredText): string {
  return typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString();
}

function storedText(text: string): StoredText {
  return text.length < longText ? text : new TextEncoder().encode(text);
}

const { textBytes, subjectCharacters, addressCharacters, toAddresses: mostAddresses } = limits.answers;
const { headerFields, headerFieldBytes } = limits.answers;
const encoder = new TextEncoder();

type Texts = Pick<MessageContent, 'text' | 'html' | 'textTruncated' | 'htmlTruncated'>;
type Shown = Pick<MessageSummary, 'msgid' | 'subject' | 'fromAddress' | 'fromName' | 'toAddresses'>;

/** Returns the first UTF-16 units of a string. Never splits a surrogate pair. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  const torn = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(most));
  return text.slice(0, torn ? most - 1 : most);
}

/** Truncates texts to the bytes that a message shows. If `textTruncated` or `htmlTruncated` is already true, it stays true. */
export function boundTexts({ text, html, textTruncated, htmlTruncated }: Partial<Texts>): Texts {
  const shownText = firstBytes(text ?? null, textBytes);
  const shownHtml = firstBytes(html ?? null, textBytes);
  return {
    text: shownText,
    html: shownHtml,
    textTruncated: textTruncated === true || shownText !== (text ?? null),
    htmlTruncated: htmlTruncated === true || shownHtml !== (html ?? null),
  };
}

/** Truncates header fields to the number and bytes that a message shows. Returns the same object for a field that fits. */
export function boundHeaders(headers: MessageContent['headers']): MessageContent['headers'] {
  if (headers.length <= headerFields && headers.every(isShortField)) return headers;
  return headers.slice(0, headerFields).map((field) => {
    if (isShortField(field)) return field;
    const name = firstBytes(field.name, headerFieldBytes);
    const left = headerFieldBytes - Buffer.byteLength(name);
    const value = firstBytes(field.value, left);
    return name === field.name && value === field.value ? field : { name, value };
  });
}

/** Returns an email's Message-ID, subject and addresses. Replaces missing addresses with those in the envelope. */
export function wholeSummary(
  { msgid, subject, from, to }: Pick<MessageContent, 'msgid' | 'subject' | 'from' | 'to'>,
  envelope: Pick<Envelope, 'mailFrom' | 'rcptTo'>,
): Shown {
  const named = to.map(({ address }) => address).filter((address) => address !== '');
  return {
    msgid,
    subject,
    fromAddress: from?.address || envelope.mailFrom,
    fromName: (from?.address && from.name) || null,
    toAddresses: named.length > 0 ? named : envelope.rcptTo,
  };
}

/** Truncates a summary to the limits for lists, with which it is also stored. Returns the same object if it is within the limits. */
export function boundSummary<Summary extends Shown>(summary: Summary): Summary {
  if (isWithin(summary, 0)) return summary;
  const { msgid, subject, fromAddress, fromName, toAddresses } = summary;
  return {
    ...summary,
    msgid: msgid === null ? null : firstCharacters(msgid, subjectCharacters),
    subject: firstCharacters(subject, subjectCharacters),
    fromAddress: firstCharacters(fromAddress, addressCharacters),
    fromName: fromName && firstCharacters(fromName, addressCharacters),
    toAddresses: toAddresses
      .slice(0, mostAddresses)
      .map((address) => firstCharacters(address, addressCharacters)),
  };
}

/** Checks whether lists may show only part of a message's fields. */
export function mayBeCut(summary: Shown): boolean {
  // Truncation never splits surrogates, so a truncated field may be one character shorter than the limit.
  return !isWithin(summary, 2);
}

/** Checks whether each field is at least `margin` characters or addresses below its limit. */
function isWithin({ msgid, subject, fromAddress, fromName, toAddresses }: Shown, margin: number): boolean {
  const most = addressCharacters - margin;
  return (
    Math.max(subject.length, msgid?.length ?? 0) <= subjectCharacters - margin &&
    Math.max(fromAddress.length, fromName?.length ?? 0) <= most &&
    toAddresses.length <= mostAddresses - margin &&
    toAddresses.every(({ length }) => length <= most)
  );
}

/** Checks whether a field fits without counting its bytes: a UTF-16 unit has at most three. */
function isShortField({ name, value }: MessageContent['headers'][number]): boolean {
  return (name.length + value.length) * 3 <= headerFieldBytes;
}

/** Lists the response limits that a message exceeds. `shown` is the part of its content `whole` that is shown. */
export function reachedByContent(
  whole: Pick<MessageContent, 'msgid' | 'subject' | 'from' | 'to' | 'headers'>,
  shown: Pick<MessageContent, 'headers' | 'textTruncated' | 'htmlTruncated'>,
): LimitName[] {
  const { msgid, subject, from, to } = whole;
  const reached: LimitName[] = [];
  if (Math.max(subject.length, msgid?.length ?? 0) > subjectCharacters) {
    reached.push('answers.subjectCharacters');
  }
  if (to.length > mostAddresses) reached.push('answers.toAddresses');
  const isLong = ({ address }: NamedAddress) => address.length > addressCharacters;
  if ((from !== null && isLong(from)) || to.some(isLong)) reached.push('answers.addressCharacters');
  if (shown.textTruncated || shown.htmlTruncated) reached.push('answers.textBytes');
  if (shown.headers.some((field, index) => field !== whole.headers[index])) {
    reached.push('answers.headerFieldBytes');
  }
  return reached;
}

/** Returns the first bytes of a string in UTF-8, without splitting a character. Returns the same string if it fits. */
export function firstBytes<Text extends string | null>(text: Text, most: number): Text | string {
  if (text === null || text.length * 3 <= most || Buffer.byteLength(text) <= most) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(most));
  return text.slice(0, read);
}

/** Content of a message, or null if the message no longer exists. */
type Content = Omit<Message['content'], 'text' | 'html'> | null;

/** Returns the code and main link of a message whose row was written before these columns existed. */
export function foundFor(content: Content): Found {
  return content === null ? { code: null, mainLink: null } : foundIn(content);
}

/** Returns the values that are missing in a row written before traits existed. `tags` is null if the message has no tags. */
export function fillFor(
  row: Pick<Message, 'copy' | 'deliveredTo' | 'envelope'> & { tags: string[] | null },
  content: Content,
  hasHtml: boolean,
): Found & { tags: string[]; keys: string[]; traits: number } {
  const tags = row.tags ?? tagsOfHeaders(content?.headers ?? []);
  const keys = keysOf(recipientsOf(row).map(addressKey), tags, content?.traceId ?? null);
  const traits = withKeys(content === null ? 0 : traitsOf(content, hasHtml), keys);
  return { ...foundFor(content), tags, keys, traits };
}
