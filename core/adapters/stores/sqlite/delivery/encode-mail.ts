import type { StoredDetail } from '#core/adapters/stores/sqlite/messages/message-rows.ts';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import { type MailRecord, mailRecord, type TargetRecord } from '#core/delivery/mail-record.ts';
import type { Id } from '#core/ids.ts';
import { boundTexts } from '#core/messages/bounds.ts';

/** Text as a bound value. A long text is UTF-8 bytes, which can be moved to another thread. A string is copied twice. */
export type StoredText = string | Uint8Array<ArrayBuffer>;

const longText = 1_048_576;

/** Mail as it is sent to the writer thread: plain values, JSON for columns of JSON. */
export type EncodedMail = Omit<MailRecord, 'targets'> & {
  /** Bytes of the mail, or the id of its body in the store. */
  body: Uint8Array<ArrayBuffer> | Id;
  detail: string;
  text: StoredText | null;
  html: StoredText | null;
  targets: EncodedTarget[];
};

export type EncodedTarget = Omit<TargetRecord, 'envelope' | 'toAddresses'> & {
  envelope: string;
  toAddresses: string;
};

export function encodeMail(mail: PreparedMail): EncodedMail {
  const { body, content } = mail;
  const { text: _text, html: _html, searchText: _searchText, date, ...rest } = content;
  const { text, html, ...truncated } = boundTexts(content);
  const detail: StoredDetail = { ...rest, ...truncated, date: date === null ? null : date.getTime() };
  const { search, targets, ...record } = mailRecord(mail);
  return {
    ...record,
    // Copies a view of a larger buffer, which would be cloned as a whole.
    body: 'bytes' in body ? Uint8Array.from(body.bytes) : body.bodyId,
    detail: JSON.stringify(detail),
    text: text && storedText(text),
    html: html && storedText(html),
    search: { ...search, text: storedText(search.text) },
    targets: targets.map((target) => ({
      ...target,
      envelope: JSON.stringify(target.envelope),
      toAddresses: JSON.stringify(target.toAddresses),
    })),
  };
}

/** Copies bytes: moving them would take them from the mail, and a batch that fails is encoded once more. */
function storedText(text: StoredText): StoredText {
  if (typeof text !== 'string') return text.slice();
  return text.length < longText ? text : new TextEncoder().encode(text);
}

/** Buffers that are moved to the other thread instead of copied. */
export function movable({ body, text, html, search }: EncodedMail): ArrayBuffer[] {
  return [body, text, html, search.text].flatMap((part) => (part instanceof Uint8Array ? [part.buffer] : []));
}
