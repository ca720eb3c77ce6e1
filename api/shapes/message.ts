import Joi from 'joi';
import type { Caller } from '#api/context.ts';
import type { Id } from '#core/ids.ts';
import type { Attachment, MimePart } from '#core/messages/content.ts';
import { boundHeaders, mayBeCut, wholeSummary } from '#core/messages/mail-record.ts';
import type { Envelope, Message } from '#core/messages/message.ts';
import type { Config } from '#setup/config.ts';
import { auditShape, authenticationFields, presentAudit, presentAuthentication } from './authentication.ts';
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
import { presentInstant } from './values.ts';

const person = { name: text().example('Shop'), address: text().example('shop@example.com') };
const people = () => listOf(responseShape('Person', person));

export const attachmentShape = responseShape('Attachment', {
  id: wholeNumber().min(1).example(1).description('Counts from 1 within the message.'),
  filename: nullable(text()).example('invoice.pdf'),
  content_type: text().example('application/pdf'),
  size_bytes: wholeNumber().example(20480).description('Of the decoded bytes.'),
  disposition: word('attachment', 'inline').example('attachment'),
  content_id: nullable(text()).example(null),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .example('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
  downloadUrl: url(),
});

function presentAttachment(
  attachment: Attachment,
  messageId: Id,
  links: Links,
): Wire<typeof attachmentShape> {
  return {
    id: attachment.id,
    filename: attachment.filename,
    content_type: attachment.contentType,
    size_bytes: attachment.sizeBytes,
    disposition: attachment.disposition,
    content_id: attachment.contentId,
    sha256: attachment.sha256,
    downloadUrl: links.url(`/api/messages/${messageId}/attachments/${attachment.id}`),
  };
}

const partFields = {
  content_type: text().example('text/plain'),
  size_bytes: wholeNumber().example(120).description('Of the encoded body.'),
  filename: nullable(text()).example(null),
  attachment_id: nullable(wholeNumber().min(1)).example(null),
};

type Part = Wire<typeof partFields> & { children: Part[] };

/** MIME tree. Its reference to itself is written out, since joi-to-swagger does not know recursion. */
const partShape = responseShape('MimePart', {
  ...partFields,
  children: listOf(Joi.object<Part>()).meta({
    swagger: { type: 'array', items: { $ref: '#/components/schemas/MimePart' } },
    swaggerOverride: true,
  }),
});

/** Presents a part with its children. The recursion is bounded, since the parser limits the depth of the tree. */
function presentPart(part: MimePart): Part {
  return {
    content_type: part.contentType,
    size_bytes: part.sizeBytes,
    filename: part.filename,
    attachment_id: part.attachmentId,
    children: part.children.map(presentPart),
  };
}

const envelopeShape = responseShape('Envelope', {
  mail_from: text().example('shop@example.com'),
  rcpt_to: listOf(text().example('qa+signup@app.test')),
  helo: nullable(text()),
  remote_address: nullable(text()).example('10.1.0.7'),
  tls: Joi.boolean(),
  received_by: text().example('mail.example.com'),
  authenticated_as: nullable(
    responseShape(null, {
      kind: word('account', 'api_key').example('account'),
      name: text().example('qa@app.test'),
    }),
  ).description('Account or API key that signed in by SMTP AUTH.'),
  tls_info: nullable(
    responseShape(null, {
      version: text().example('TLSv1.3'),
      cipher: text().example('TLS_AES_256_GCM_SHA384'),
      server_name: nullable(text()).example('mail.example.com'),
    }),
  ).description('TLS session that the message came by.'),
  dsn: nullable(
    responseShape(null, {
      ret: nullable(word('FULL', 'HDRS')),
      envid: nullable(text()),
      recipients: listOf(
        responseShape(null, {
          address: text().example('qa@app.test'),
          notify: listOf(word('NEVER', 'SUCCESS', 'FAILURE', 'DELAY')),
          orcpt: nullable(text()).example('rfc822;qa@app.test'),
        }),
      ),
    }),
  ).description('Parameters for delivery status notifications (RFC 3461). None is sent.'),
});

function presentEnvelope({ tlsInfo = null, ...envelope }: Envelope): Wire<typeof envelopeShape> {
  return {
    mail_from: envelope.mailFrom,
    rcpt_to: envelope.rcptTo,
    helo: envelope.helo,
    remote_address: envelope.remoteAddress,
    tls: envelope.tls,
    received_by: envelope.receivedBy,
    authenticated_as: envelope.authenticatedAs ?? null,
    tls_info: tlsInfo && {
      version: tlsInfo.version,
      cipher: tlsInfo.cipher,
      server_name: tlsInfo.serverName,
    },
    dsn: envelope.dsn ?? null,
  };
}

/** Maker of the URLs in an answer. */
export type Links = { url(path: string): string };

/** Returns URLs that lead the caller back to the same team. A session needs its id unless it is the personal one. */
export function linksOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { keyName, user, team }: Pick<Caller, 'keyName' | 'user' | 'team'>,
): Links {
  const query = keyName === null && user?.id !== team ? `?team_id=${team}` : '';
  return { url: (path) => `${baseUrl}${path}${query}` };
}

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
