import type { StoredDetail } from '#core/adapters/stores/sqlite/messages/message-rows.ts';
import { type HashedTokens, hashTokens } from '#core/adapters/stores/sqlite/threads/conversations.ts';
import type { DeliveryTarget, PreparedMail } from '#core/delivery/delivery.ts';
import { envelopeText, foldText, searchLines } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import { boundSummary, boundTexts, wholeSummary } from '#core/messages/bounds.ts';
import type { MessageContent } from '#core/messages/content.ts';
import { threadTokens } from '#core/messages/thread.ts';

/** A long text is its UTF-8, which is moved to the other thread: a string would be copied twice on its way. */
export type StoredText = string | Uint8Array<ArrayBuffer>;

const longText = 1_048_576;

/** A mail as the writer thread takes it: plain values, as they are stored. */
export type EncodedMail = {
  /** The bytes themselves, or the body that holds them already. */
  body: Uint8Array<ArrayBuffer> | Id;
  sizeBytes: number;
  receivedAt: number;
  hasAttachments: number;
  msgid: string | null;
  subject: string;
  intro: string;
  detail: string;
  text: StoredText | null;
  html: StoredText | null;
  search: { subject: string; sender: string; recipients: string; text: StoredText };
  tokens: HashedTokens;
  targets: EncodedTarget[];
};

export type EncodedTarget = Pick<
  DeliveryTarget,
  'owner' | 'accountId' | 'mailbox' | 'deliveredTo' | 'tag'
> & {
  envelope: string;
  fromAddress: string;
  fromName: string | null;
  toAddresses: string;
  /** See `envelopeText`. */
  ownRecipients: string;
};

export function encodeMail({ body, sizeBytes, content, receivedAt, targets }: PreparedMail): EncodedMail {
  const { text: _text, html: _html, searchText, date, ...rest } = content;
  const { text, html, ...truncated } = boundTexts(content);
  const detail: StoredDetail = { ...rest, ...truncated, date: date === null ? null : date.getTime() };
  const { msgid, subject } = boundSummary(wholeSummary(content, { mailFrom: '', rcptTo: [] }));
  return {
    // A view of a larger buffer would be cloned with all of it.
    body: 'bytes' in body ? Uint8Array.from(body.bytes) : body.bodyId,
    sizeBytes,
    receivedAt: receivedAt.getTime(),
    hasAttachments: content.attachments.length > 0 ? 1 : 0,
    msgid,
    subject,
    intro: content.intro,
    detail: JSON.stringify(detail),
    text: text && storedText(text),
    html: html && storedText(html),
    search: searchColumns(searchText, content.from !== null, targets[0]?.envelope.mailFrom ?? ''),
    tokens: hashTokens(threadTokens(content, targets.length)),
    targets: targets.map(({ owner, accountId, mailbox, deliveredTo, tag, envelope }) => {
      const { fromAddress, fromName, toAddresses } = boundSummary(wholeSummary(content, envelope));
      return {
        owner,
        accountId,
        mailbox,
        deliveredTo,
        tag,
        envelope: JSON.stringify(envelope),
        fromAddress,
        fromName,
        toAddresses: JSON.stringify(toAddresses),
        ownRecipients: envelopeText({ envelope, deliveredTo, tag }),
      };
    }),
  };
}

/** The lines of the search text: subject, sender if there is one, recipients, text. */
function searchColumns(
  searchText: MessageContent['searchText'],
  hasSender: boolean,
  mailFrom: string,
): EncodedMail['search'] {
  const { lines, text } = searchLines(searchText);
  const [subject = '', ...people] = lines;
  const sender = hasSender ? (people.shift() ?? '') : foldText(mailFrom);
  // A copy, for a batch that fails is encoded once more.
  const stored = typeof text === 'string' ? storedText(text) : text.slice();
  return { subject, sender, recipients: people.join('\n'), text: stored };
}

function storedText(text: string): StoredText {
  return text.length < longText ? text : new TextEncoder().encode(text);
}

/** What can be moved to another thread rather than copied. */
export function movable({ body, text, html, search }: EncodedMail): ArrayBuffer[] {
  return [body, text, html, search.text].flatMap((part) => (part instanceof Uint8Array ? [part.buffer] : []));
}
