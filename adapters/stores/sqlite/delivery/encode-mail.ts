import type { PreparedMail } from '#core/delivery/delivery.ts';
import { type DeliveryRecord, deliveryRecord, type TargetRecord } from '#core/delivery/delivery-record.ts';
import type { Id } from '#core/ids.ts';
import { longTexts, type StoredText } from '#core/messages/mail-record.ts';

/** Mail as it is sent to the writer thread: plain values, JSON for columns of JSON. */
export type EncodedMail = Omit<DeliveryRecord, 'targets'> & {
  /** Bytes of the mail, or the id of its body in the store. */
  body: Uint8Array<ArrayBuffer> | Id;
  targets: EncodedTarget[];
};

export type EncodedTarget = Omit<TargetRecord, 'envelope' | 'toAddresses'> & {
  envelope: string;
  toAddresses: string;
};

export function encodeMail(mail: PreparedMail): EncodedMail {
  const { body } = mail;
  const { json, text, html, search, targets, ...record } = deliveryRecord(mail);
  return {
    ...record,
    // Copies a view of a larger buffer, which would be cloned as a whole.
    body: 'bytes' in body ? Uint8Array.from(body.bytes) : body.bodyId,
    json: copied(json),
    text: text && copied(text),
    html: html && copied(html),
    search: { ...search, text: copied(search.text) },
    targets: targets.map((target) => ({
      ...target,
      envelope: JSON.stringify(target.envelope),
      toAddresses: JSON.stringify(target.toAddresses),
    })),
  };
}

/** Copies bytes: moving them would take them from the mail, and a batch that fails is encoded once more. */
function copied(text: StoredText): StoredText {
  return typeof text === 'string' ? text : text.slice();
}

/** Buffers that are moved to the other thread instead of copied. */
export function movable(mail: EncodedMail): ArrayBuffer[] {
  const bytes = mail.body instanceof Uint8Array ? [mail.body] : [];
  return [...bytes, ...longTexts(mail)].map(({ buffer }) => buffer);
}
