import Joi from 'joi';
import type { Caller } from '#api/context.ts';
import {
  type Attachment,
  type Authentication,
  authResults,
  linkKinds,
  type MimePart,
} from '#core/messages/content.ts';
import { boundHeaders, mayBeCut, wholeSummary } from '#core/messages/mail-record.ts';
import type { Message } from '#core/messages/message.ts';
import { reportActions, reportKinds } from '#core/messages/report.ts';
import type { Config } from '#setup/config.ts';
import { envelopeShape } from './envelope.ts';
import { summaryShape } from './message-summary.ts';
import {
  answerOf,
  each,
  listOf,
  nullable,
  type ObjectShape,
  responseShape,
  text,
  timestampOrNull,
  url,
  type Wire,
  wholeNumber,
  word,
} from './response-shape.ts';

const person = { name: text().example('Shop'), address: text().example('shop@example.com') };
const people = () => listOf(responseShape('Person', person));

export const attachmentShape = answerOf<Attachment & { url: string }>()('Attachment', {
  id: wholeNumber().min(1).example(1).description('Number within the message, starting at 1.'),
  filename: nullable(text()).example('invoice.pdf'),
  content_type: text().example('application/pdf'),
  size_bytes: wholeNumber().example(20480).description('Size of the decoded file.'),
  disposition: word('attachment', 'inline').example('attachment'),
  content_id: nullable(text()).example(null),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .example('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
  downloadUrl: [url(), (one) => one.url],
});

const partFields = {
  content_type: text().example('text/plain'),
  size_bytes: wholeNumber().example(120).description('Size of the encoded body.'),
  filename: nullable(text()).example(null),
  attachment_id: nullable(wholeNumber().min(1)).example(null),
};

type Part = Wire<typeof partFields> & { children: Part[] };

/** MIME tree. Its self-reference is written out because joi-to-swagger does not support recursion. */
const partShape: ObjectShape<MimePart, Part> = answerOf<MimePart>()('MimePart', {
  ...partFields,
  children: [
    listOf(Joi.object<Part>()).meta({
      swagger: { type: 'array', items: { $ref: '#/components/schemas/MimePart' } },
      swaggerOverride: true,
    }),
    // The parser limits the depth of the tree.
    ({ children }) => children.map(partShape.present),
  ],
});

/** Result of an authentication method (RFC 8601 section 2.7). */
const result = () => word(...authResults).example('pass');

const spfShape = responseShape('Spf', {
  result: result(),
  domain: nullable(text()).example('example.com'),
  explanation: nullable(text()),
});

const dkimShape = responseShape('Dkim', {
  result: result(),
  domain: nullable(text()).example('example.com'),
  selector: nullable(text()).example('s1'),
  aligned: Joi.boolean(),
  info: nullable(text()),
});

const dmarcShape = answerOf<Authentication['dmarc']>()('Dmarc', {
  result: result(),
  domain: nullable(text()).example('example.com'),
  policy: nullable(text()).example('reject'),
  aligned_spf: Joi.boolean(),
  aligned_dkim: Joi.boolean(),
});

const arcShape = responseShape('Arc', { result: result() });

const checks = () =>
  listOf(
    responseShape('AuditCheck', {
      id: text().example('spf'),
      title: text().example('SPF'),
      detail: text().example('pass for example.com'),
    }),
  );

export const auditChecks = responseShape('AuditChecks', {
  critical: checks(),
  warning: checks(),
  info: checks(),
  passed: checks(),
});

const auditShape = answerOf<Message>()('Audit', {
  message_id: [nullable(text()).example('<b7e1@shop.example>'), ({ msgid }) => msgid],
  size_bytes: wholeNumber().example(1432),
  authentication_results: [
    text().example('mail.example.com; spf=pass smtp.mailfrom=example.com'),
    ({ content }) => content.authentication.header,
  ],
  checks: [auditChecks, ({ content }) => content.audit],
});

const reportShape = nullable(
  responseShape('Report', {
    kind: word(...reportKinds).example('failed'),
    recipients: listOf(
      responseShape(null, {
        address: text().example('qa@app.test'),
        action: nullable(word(...reportActions)).example('failed'),
        status: nullable(text()).example('5.1.1'),
        diagnostic: nullable(text()).example('550 5.1.1 No such user'),
      }),
    ),
  }),
).description(
  'Report about an earlier message, if this message is a delivery status notification, a complaint or an automatic reply.',
);

export type Links = { url(path: string): string };

/** Returns URLs that lead the caller back to the same team. A session needs the team's id unless it is the personal team. */
export function linksOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { keyName, user, team }: Pick<Caller, 'keyName' | 'user' | 'team'>,
): Links {
  const query = keyName === null && user?.id !== team ? `?team_id=${team}` : '';
  return { url: (path) => `${baseUrl}${path}${query}` };
}

/** Message as presented to a caller: with the caller's links, and with full addresses where the row truncates them. */
export type ShownMessage = Message & { links: Links };

export const shownMessage = (message: Message, links: Links): ShownMessage =>
  mayBeCut(message)
    ? { ...message, ...wholeSummary(message.content, message.envelope), links }
    : { ...message, links };

export const messageShape = answerOf<ShownMessage>()('Message', {
  ...summaryShape.fields,
  envelope: [envelopeShape.schema, ({ envelope }) => envelopeShape.present(envelope)],
  delivered_to: text().example('qa+signup@app.test'),
  tag: nullable(text()).example('signup'),
  from: [nullable(responseShape(null, person)), ({ content }) => content.from],
  to: [people(), ({ content }) => content.to],
  cc: [people(), ({ content }) => content.cc],
  bcc: [people(), ({ content }) => content.bcc],
  reply_to: [people(), ({ content }) => content.replyTo],
  date: timestampOrNull(({ content }) => content.date),
  in_reply_to: [nullable(text()).example(null), ({ content }) => content.inReplyTo],
  references: [listOf(text()), ({ content }) => content.references],
  text: [nullable(text()).example('Your code is 493817.'), ({ content }) => content.text],
  html: [nullable(text()).example(null), ({ content }) => content.html],
  html_text: [
    nullable(text())
      .example(null)
      .description(
        'Lines that the HTML shows and `text` lacks. Together with `text`, this is everything that a reader sees. Null if there are none, and for mail received before 0.3.0.',
      ),
    ({ content }) => content.htmlText?.added ?? null,
  ],
  text_truncated: [
    Joi.boolean()
      .example(false)
      .description('Whether `text` is truncated at 1 MiB. /raw returns the whole email.'),
    ({ content }) => content.textTruncated,
  ],
  html_truncated: [
    Joi.boolean()
      .example(false)
      .description('Whether `html` is truncated at 1 MiB. /raw returns the whole email.'),
    ({ content }) => content.htmlTruncated,
  ],
  html_text_truncated: [
    Joi.boolean().example(false).description('Whether `html_text` is truncated at 262,144 characters.'),
    ({ content }) => content.htmlText?.truncated ?? false,
  ],
  headers: [
    listOf(responseShape('HeaderField', { name: text().example('Subject'), value: text() })),
    ({ content }) => boundHeaders(content.headers),
  ],
  attachments: each(attachmentShape, ({ id, content, links }) =>
    content.attachments.map((one) => ({
      ...one,
      url: links.url(`/api/messages/${id}/attachments/${one.id}`),
    })),
  ),
  spf: [spfShape, ({ content }) => content.authentication.spf],
  dkim: [listOf(dkimShape), ({ content }) => content.authentication.dkim],
  dmarc: [dmarcShape.schema, ({ content }) => dmarcShape.present(content.authentication.dmarc)],
  arc: [arcShape, ({ content }) => content.authentication.arc],
  structure: [partShape.schema, ({ content }) => partShape.present(content.structure)],
  audit: [auditShape.schema, auditShape.present],
  auto_delete: Joi.boolean().description('Whether Sandpost deletes the message at expires_at.'),
  threadId: nullable(wholeNumber().min(1)).example(null).description('The same as thread_id.'),
  sourceUrl: [url(), (message) => placeUrl(message, 'source', message.links)],
  downloadUrl: [url(), (message) => placeUrl(message, 'download', message.links)],
  codes: [
    listOf(
      responseShape('Code', {
        value: text().example('493817'),
        source: word('header', 'text', 'html', 'subject').example('text'),
      }),
    ),
    ({ content }) => content.codes,
  ],
  submission: [
    nullable(
      responseShape('Submission', {
        provider: text().example('sendgrid'),
        request: text().example('POST /v3/mail/send\n\n{"subject": "Welcome"}'),
      }),
    ).description('Provider API request that sent the message, without the key, truncated to 64 KiB.'),
    ({ content }) => content.submission ?? null,
  ],
  sender: [
    nullable(
      responseShape('Sender', {
        namespace: text().example('shop'),
        pod: text().example('checkout-5d9c7f6b8-x2x4z'),
        workload: nullable(text()).example('Deployment/checkout'),
      }),
    ).description('Kubernetes pod that sent the message. Null if unknown.'),
    ({ envelope }) => envelope.sender ?? null,
  ],
  report: [reportShape, ({ content }) => content.report ?? null],
  links: [
    listOf(
      responseShape('Link', {
        url: text().example('https://shop.example/verify?t=1'),
        text: text(),
        kind: word(...linkKinds).example('verify'),
      }),
    ),
    ({ content }) => content.links,
  ],
});

/** Returns a string that changes whenever the presented message does. Omits the parts that never change after delivery. */
export function messageRevision(message: Message, links: Links): string {
  const { envelope, deliveredTo, tag, autoDelete, content } = message;
  const { authentication, textTruncated, htmlTruncated } = content;
  const fixed = [envelope, deliveredTo, tag, authentication.header, textTruncated, htmlTruncated];
  // A key limited to accounts cannot see the request.
  const hasSubmission = content.submission !== undefined;
  return JSON.stringify([summaryShape.present(message), autoDelete, fixed, hasSubmission, links.url('')]);
}

/** Returns the URL of a message's bytes, below its account and mailbox. */
export function placeUrl(
  { id, accountId, mailboxId }: Pick<Message, 'id' | 'accountId' | 'mailboxId'>,
  what: 'source' | 'download',
  { url }: Links,
): string {
  return url(`/api/accounts/${accountId}/mailboxes/${mailboxId}/messages/${id}/${what}`);
}
