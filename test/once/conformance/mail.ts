import type { DeliveryTarget, PreparedMail } from '#core/delivery/delivery.ts';
import { prepareMail } from '#core/delivery/prepare-mail.ts';
import { readableText } from '#core/extraction/readable-text.ts';
import { searchTexts } from '#core/extraction/search-text.ts';
import type {
  Attachment,
  MessageContent,
  MimePart,
  NamedAddress,
  Submission,
} from '#core/messages/content.ts';
import { type MailRecord, mailRecord } from '#core/messages/mail-record.ts';

/** Properties of an email that a test sets. The others have defaults. */
export type MailWords = {
  subject?: string;
  text?: string;
  html?: string;
  htmlText?: MessageContent['htmlText'];
  from?: string | NamedAddress | null;
  to?: string[];
  msgid?: string;
  inReplyTo?: string;
  references?: string[];
  receivedAt?: Date;
  bytes?: Uint8Array;
  /** Replaces the byte length. */
  sizeBytes?: number;
  attachments?: Attachment[];
  structure?: MimePart;
  submission?: Submission;
  transcript?: string;
  traceId?: string;
};

/** Email that is ready for `commit`, to one or more targets. */
export function mail(targets: DeliveryTarget[], words: MailWords = {}): PreparedMail {
  const bytes =
    words.bytes ?? Buffer.from(`Subject: ${words.subject ?? 'hello'}\r\n\r\n${words.text ?? 'hi'}\r\n`);
  const { receivedAt = new Date(), sizeBytes } = words;
  return prepareMail(recordWith(words), { bytes }, receivedAt, targets, sizeBytes);
}

/** Record that an examination could have produced. */
export function recordWith(words: MailWords = {}): MailRecord {
  return mailRecord(contentWith(words));
}

const plainPart = {
  ...{ contentType: 'text/plain', sizeBytes: 2, filename: null, attachmentId: null, children: [] },
};
const person = (address: string): NamedAddress => ({ name: '', address });

function contentWith(words: MailWords): MessageContent {
  const {
    subject = 'hello',
    text = 'hi',
    from: sender = 'sender@elsewhere.test',
    to = ['qa@app.test'],
  } = words;
  const from = typeof sender === 'string' ? person(sender) : sender;
  const recipients = to.map(person);
  return {
    msgid: words.msgid ?? null,
    subject,
    intro: text.slice(0, 140),
    from,
    to: recipients,
    cc: [],
    bcc: [],
    replyTo: [],
    date: new Date('2026-11-21T10:00:00.000Z'),
    inReplyTo: words.inReplyTo ?? null,
    references: words.references ?? [],
    text,
    html: words.html ?? null,
    textTruncated: false,
    htmlTruncated: false,
    ...(words.htmlText && { htmlText: words.htmlText }),
    headers: [{ name: 'Subject', value: subject }],
    attachments: words.attachments ?? [],
    structure: words.structure ?? plainPart,
    authentication: {
      spf: { result: 'pass', domain: 'elsewhere.test', explanation: null },
      dkim: [],
      dmarc: { result: 'none', domain: null, policy: null, alignedSpf: false, alignedDkim: false },
      arc: { result: 'none' },
      header: 'app.test; spf=pass',
    },
    audit: { critical: [], warning: [], info: [], passed: [] },
    codes: [{ value: '123456', source: 'text' }],
    links: [{ url: 'https://app.test/x', text: 'x', kind: 'verify' }],
    ...(words.submission && { submission: words.submission }),
    ...(words.transcript && { transcript: words.transcript }),
    ...(words.traceId && { traceId: words.traceId }),
    search: searchTexts({
      ...{ subject, from, recipients },
      text: readableText(text, words.htmlText?.added ?? null) ?? '',
    }),
  };
}
