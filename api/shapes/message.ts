import Joi from 'joi';
import type { Links } from '#api/links.ts';
import { boundHeaders, mayBeCut, wholeSummary } from '#core/messages/mail-record.ts';
import type { Message } from '#core/messages/message.ts';
import { attachmentShape, partShape, presentAttachment, presentPart } from './attachment.ts';
import { auditShape, authenticationFields, presentAudit, presentAuthentication } from './authentication.ts';
import { envelopeShape, presentEnvelope } from './envelope.ts';
import { presentSummary, summaryFields } from './message-summary.ts';
import {
  instant,
  listOf,
  nullable,
  responseShape,
  text,
  url,
  type Wire,
  wholeNumber,
  word,
} from './response-shape.ts';
import { presentInstant } from './timestamp.ts';

const person = { name: text().example('Shop'), address: text().example('shop@example.com') };
const people = () => listOf(responseShape('Person', person));

export const messageShape = responseShape('Message', {
  ...summaryFields,
  envelope: envelopeShape,
  delivered_to: text().example('qa+signup@app.test'),
  tag: nullable(text()).example('signup'),
  from: nullable(responseShape(null, person)),
  to: people(),
  cc: people(),
  bcc: people(),
  reply_to: people(),
  date: nullable(instant()),
  in_reply_to: nullable(text()).example(null),
  references: listOf(text()),
  text: nullable(text()).example('Your code is 493817.'),
  html: nullable(text()).example(null),
  text_truncated: Joi.boolean()
    .example(false)
    .description('Whether there is more than the first 1 MiB: the rest is in /raw.'),
  html_truncated: Joi.boolean().example(false).description('The same of html.'),
  headers: listOf(responseShape('HeaderField', { name: text().example('Subject'), value: text() })),
  attachments: listOf(attachmentShape),
  ...authenticationFields,
  structure: partShape,
  audit: auditShape,
  auto_delete: Joi.boolean().description('Whether expires_at is acted upon.'),
  threadId: nullable(wholeNumber().min(1)).example(null).description('The same as thread_id.'),
  sourceUrl: url(),
  downloadUrl: url(),
  codes: listOf(
    responseShape('Code', {
      value: text().example('493817'),
      source: word('header', 'text', 'html', 'subject').example('text'),
    }),
  ),
  submission: nullable(
    responseShape('Submission', {
      provider: text().example('sendgrid'),
      request: text().example('POST /v3/mail/send\n\n{"subject": "Welcome"}'),
    }),
  ).description('Request to a provider API that it came by, without the key, cut to 64 KiB.'),
  links: listOf(
    responseShape('Link', {
      url: text().example('https://shop.example/verify?t=1'),
      text: text(),
      kind: word('verify', 'reset', 'login', 'invite', 'unsubscribe', 'other').example('verify'),
    }),
  ),
});

/** Presents the whole message. */
export function presentMessage(message: Message, links: Links): Wire<typeof messageShape> {
  const { content, envelope } = message;
  const whole = mayBeCut(message) ? { ...message, ...wholeSummary(content, envelope) } : message;
  return {
    ...presentSummary(whole),
    envelope: presentEnvelope(envelope),
    delivered_to: message.deliveredTo,
    tag: message.tag,
    from: content.from,
    to: content.to,
    cc: content.cc,
    bcc: content.bcc,
    reply_to: content.replyTo,
    date: content.date && presentInstant(content.date),
    in_reply_to: content.inReplyTo,
    references: content.references,
    text: content.text,
    html: content.html,
    text_truncated: content.textTruncated,
    html_truncated: content.htmlTruncated,
    headers: boundHeaders(content.headers),
    attachments: content.attachments.map((attachment) => presentAttachment(attachment, message.id, links)),
    ...presentAuthentication(content.authentication),
    structure: presentPart(content.structure),
    audit: presentAudit(whole),
    auto_delete: message.autoDelete,
    threadId: message.threadId,
    sourceUrl: placeUrl(message, 'source', links),
    downloadUrl: placeUrl(message, 'download', links),
    codes: content.codes,
    submission: content.submission ?? null,
    links: content.links,
  };
}

/**
 * Returns a text that changes whenever the presented message does. Parts that it leaves out are made once, at delivery.
 */
export function messageRevision(message: Message, links: Links): string {
  const { envelope, deliveredTo, tag, autoDelete, content } = message;
  const { authentication, textTruncated, htmlTruncated } = content;
  const fixed = [envelope, deliveredTo, tag, authentication.header, textTruncated, htmlTruncated];
  return JSON.stringify([presentSummary(message), autoDelete, fixed, links.url('')]);
}

/** Returns the URL of the bytes of a message, within its account and mailbox. */
export function placeUrl(
  { id, accountId, mailboxId }: Pick<Message, 'id' | 'accountId' | 'mailboxId'>,
  what: 'source' | 'download',
  { url }: Links,
): string {
  return url(`/api/accounts/${accountId}/mailboxes/${mailboxId}/messages/${id}/${what}`);
}
