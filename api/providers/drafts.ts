import { randomUUID } from 'node:crypto';
import type { Draft, DraftAttachment, RefusedDraft } from '#core/delivery/compose.ts';
import { Invalid, invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import { addressList, atMost, checkLine } from './addresses.ts';
import type { JsonValue } from './json-value.ts';
import type { Outcome } from './provider.ts';

/** Header fields generated from a draft's other parts, in lower case. */
const made = [
  'bcc',
  'cc',
  'content-disposition',
  'content-transfer-encoding',
  'content-type',
  'from',
  'mime-version',
  'subject',
  'to',
];

/** Completes a draft, and checks the fields that its sender can choose freely. Throws Invalid. */
export function draftOf(given: Pick<Draft, 'from'> & Partial<Draft>): Draft {
  const draft = {
    to: [],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: '',
    text: null,
    html: null,
    headers: [],
    attachments: [],
    ...given,
  };
  atMost('headers', draft.headers.length, 'submissions.headerFields', 'fields');
  atMost('attachments', draft.attachments.length, 'submissions.attachments', 'files');
  checkLine('subject', draft.subject);
  for (const { name, value } of draft.headers) checkHeader(name, value);
  const { replyTo, headers } = draft;
  return replyTo.length > 0 ? draft : { ...draft, replyTo: headers.flatMap(replyAddresses) };
}

/** Returns the addresses of a Reply-To header field, or an empty list for any other field. */
function replyAddresses({ name, value }: Draft['headers'][number]): NamedAddress[] {
  return name.toLowerCase() === 'reply-to' ? addressList(`headers.${name}`, value) : [];
}

function checkHeader(name: string, value: string): void {
  const field = `headers.${name.slice(0, 100)}`;
  // RFC 5322 section 3.6.8: printable ASCII except colon.
  if (!/^[!-9;-~]+$/.test(name)) throw invalid(field, 'is not a valid header field name');
  if (/[\r\n\0]/.test(value)) throw invalid(field, 'must not contain line breaks or NUL');
  if (made.includes(name.toLowerCase())) throw invalid(field, "is generated from the request's other fields");
  if (['message-id', 'reply-to'].includes(name.toLowerCase())) checkLine(field, value);
  if (name.toLowerCase() === 'message-id' && !/^\s*<?[!-;=?-~]+>?\s*$/.test(value)) {
    throw invalid(field, 'must be printable ASCII without spaces, such as <1@app.test>');
  }
  atMost(field, name.length + value.length, 'submissions.headerFieldBytes', 'characters');
}

type AboutFile = { filename: string | null; contentType: string | null; contentId?: string | null };

/** Creates an attachment from base64. Throws an Invalid that names `field`. */
export function attachmentOf(field: string, base64: string, about: AboutFile): DraftAttachment {
  return fileOf(field, base64Of(field, base64), about);
}

/** Names of a base64 file's fields. */
type FileFields = { content: string; filename: string; contentType?: string; contentId?: string };

/** Reads a list of files. Files that match `isInline` have a Content-ID. Throws Invalid. */
export function filesOf(
  list: JsonValue,
  { content, filename, contentType, contentId = '' }: FileFields,
  isInline: (file: JsonValue) => boolean,
): DraftAttachment[] {
  return list.list().map((file) => {
    const hasId = isInline(file);
    const bytes = file.get(content);
    return attachmentOf(bytes.path, bytes.needText(), {
      filename: file.get(filename).needText(),
      contentType: contentType === undefined ? null : file.get(contentType).text(),
      contentId: hasId ? file.get(contentId).text() : null,
    });
  });
}

/** Creates an attachment from bytes. Throws an Invalid that names `field`. */
export function fileOf(
  field: string,
  bytes: Uint8Array,
  { filename, contentType, contentId = null }: AboutFile,
): DraftAttachment {
  if (contentType !== null && !/^[\w.+-]+\/[\w.+-]+(?:\s*;[^\r\n\0]*)?$/.test(contentType)) {
    throw invalid(field, `${JSON.stringify(contentType.slice(0, 100))} is not a media type`);
  }
  checkLine(field, filename ?? '');
  checkLine(field, contentId ?? '');
  return {
    filename: filename?.replace(/[\r\n\0]+/g, ' ') ?? null,
    // A part of this type would be read as several parts.
    contentType: /^multipart\//i.test(contentType ?? '') ? 'application/octet-stream' : contentType,
    contentId: contentId?.replace(/[\r\n\0<>]+/g, '') || null,
    bytes,
  };
}

/** Decodes base64 to bytes. Throws an Invalid that names `field`. */
export function base64Of(field: string, base64: string): Buffer {
  if (!/^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/.test(base64)) throw invalid(field, 'is not base64');
  return Buffer.from(base64, 'base64');
}

export type Texts = Pick<Draft, 'subject' | 'text' | 'html'>;

/**
 * Creates the texts of an email that uses a stored template, from the template's name and values, because only the provider has the
 * template.
 */
export function templateTexts(template: string, data: unknown, subject: string | null = null): Texts {
  return {
    subject: subject || template,
    text: `${template}\n\n${JSON.stringify(data ?? {})}\n`,
    html: null,
  };
}

/** Reads text and HTML, and fills in values. Calls `refuse`, which throws, if both are missing or empty. */
export function bodiesOf(
  text: JsonValue,
  html: JsonValue,
  refuse: () => never,
  fill = (given: string) => given,
): Pick<Draft, 'text' | 'html'> {
  const bodies = { text: text.text() || null, html: html.text() || null };
  if (bodies.text === null && bodies.html === null) refuse();
  return { text: bodies.text && fill(bodies.text), html: bodies.html && fill(bodies.html) };
}

/** Sender of a message with a stored template, if the request names no sender and leaves it to the template. */
export const templateSender: NamedAddress = {
  name: 'Template sender',
  address: 'sender@template.invalid',
};

/** Reads a batch's emails. An email that cannot be read is refused without the others. */
export function* eachIndependently<T>(items: T[], read: (item: T) => Draft): Generator<Draft | RefusedDraft> {
  for (const item of items) {
    try {
      yield read(item);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      yield { violations: error.violations, limits: error.limits };
    }
  }
}

/**
 * Returns an accepted email's Message-ID without angle brackets or characters that are invalid in response headers. Returns a new UUID if
 * the email has none.
 */
export function messageIdOf(outcome: Outcome | undefined): string {
  const messageId = outcome && 'messageId' in outcome ? outcome.messageId : null;
  return messageId?.replace(/[^!-~]+/g, '') || randomUUID();
}

/** Returns the part of the Message-ID before its domain: a UUID, unless the sender chose the Message-ID. */
export function messageUuid(outcome: Outcome | undefined): string {
  return messageIdOf(outcome).replace(/@.*$/s, '') || randomUUID();
}

/** Maximum characters of tags whose combined search takes about as long as a single tag's. */
const tagsATime = 256;

const inAll = 'across all emails';

/**
 * Fills values into the texts of one request's emails, with limits that the emails share, because each email contains the texts again.
 */
export class Filling {
  #searched = 0;
  #places = 0;

  /**
   * Replaces the places that `pattern` finds, whose first group is a name, with the names' values. Leaves unknown names unchanged.
   * `tagCharacters`: characters of the tags in the pattern. Throws Invalid.
   */
  fill(text: string, pattern: RegExp, value: (name: string) => unknown, tagCharacters = 0): string {
    const { composedBytes } = limits.submissions;
    this.#searched += text.length * Math.max(1, Math.ceil(tagCharacters / tagsATime));
    atMost('body', this.#searched, 'submissions.searched', `template characters ${inAll}`);
    let length = 0;
    return text.replace(pattern, (place, name: string) => {
      this.#places += 1;
      atMost('body', this.#places, 'submissions.places', `placeholders ${inAll}`);
      const found = value(name);
      if (found === undefined || found === null || typeof found === 'object') return place;
      const filled = String(found);
      length += filled.length;
      if (length > composedBytes) {
        throw invalid('body', `may insert at most ${composedBytes} characters`, 'submissions.composedBytes');
      }
      return filled;
    });
  }
}
