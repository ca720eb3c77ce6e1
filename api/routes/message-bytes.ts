import path from 'node:path';
import Joi from 'joi';
import { extension } from 'mime-types';
import type { Ctx } from '#api/context.ts';
import { frameDocument, framePolicy, frameSandbox } from '#api/frame-document.ts';
import { messageSource, sendBytes } from '#api/message-source.ts';
import { get } from '#api/route.ts';
import { linksOf, placeUrl } from '#api/shapes/message.ts';
import { sourceShape } from '#api/shapes/message-request.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import type { Id } from '#core/ids.ts';
import type { Attachment } from '#core/messages/content.ts';
import { readDocument } from '#core/messages/mail-document.ts';
import { readAttachment, readMessage, readRaw } from '#core/messages/read-message.ts';
import type { Services } from '#setup/services.ts';

const message = '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages/{message_id}' as const;
const messageType = 'message/rfc822';
const success = { description: "The message's bytes, as received", contentType: messageType };

const htmlQuery = requestShape<{ images?: 'inline' }>('HtmlQuery', {
  images: Joi.string().valid('inline').description('`inline`: include the images that the email contains.'),
});

/** Policy of the document, which the document's head repeats. Without it, the response would be a page of Sandpost's own origin. */
const htmlPolicy = `${framePolicy(false)}; sandbox ${frameSandbox}; frame-ancestors 'none'`;
const htmlHead = Buffer.from(frameDocument('', false));

export const messageBytesRoutes = [
  get({
    path: '/api/messages/{message_id}/raw',
    operationId: 'getRawMessage',
    summary: "Read a message's source",
    permission: 'mail',
    success,
    async handle({ services, caller, ids, ctx }) {
      const raw = await readRaw(services, caller.team, ids.message_id);
      return sendBytes(ctx, messageType, raw.sizeBytes, () => raw.open());
    },
  }),
  get({
    path: `${message}/download`,
    operationId: 'downloadMessage',
    summary: "Download a message's source as message.eml",
    permission: 'mail',
    success,
    async handle({ services, caller, ids, ctx }) {
      const place = { accountId: ids.account_id, mailboxId: ids.mailbox_id };
      await readMessage(services, caller.team, ids.message_id, place);
      const raw = await readRaw(services, caller.team, ids.message_id);
      ctx.attachment('message.eml');
      return sendBytes(ctx, messageType, raw.sizeBytes, () => raw.open());
    },
  }),
  get({
    path: `${message}/source`,
    operationId: 'getMessageSource',
    summary: "Read a message's source as JSON",
    permission: 'mail',
    description: 'Uses base64 if the bytes are not valid UTF-8.',
    success: { description: 'The source', schema: sourceShape },
    async handle({ services, caller, ids }) {
      const place = { accountId: ids.account_id, mailboxId: ids.mailbox_id };
      const found = await readMessage(services, caller.team, ids.message_id, place);
      const raw = await readRaw(services, caller.team, ids.message_id);
      const { msgid } = found.content;
      const downloadUrl = placeUrl(found, 'download', linksOf(services.config, caller));
      return messageSource(
        caller.userId,
        raw,
        { id: found.id, msgid, size_bytes: found.sizeBytes },
        downloadUrl,
      );
    },
  }),
  get({
    path: '/api/messages/{message_id}/attachments/{attachment_id}',
    operationId: 'getAttachment',
    summary: 'Download a decoded attachment with its type and name',
    permission: 'mail',
    success: { description: "The attachment's bytes", contentType: '*/*' },
    handle: ({ services, caller, ids, ctx }) =>
      sendAttachment(services, ctx, caller.team, ids.message_id, ids.attachment_id),
  }),
  get({
    path: '/api/messages/{message_id}/html',
    operationId: 'getMessageHtml',
    summary: "Read a message's HTML as a document",
    permission: 'mail',
    description:
      'Sanitized, as on the page, for browser tests that open the email. The document runs no scripts, submits no forms and loads nothing. Returns 404 for a message without HTML.',
    query: htmlQuery,
    success: { description: 'The document', contentType: 'text/html' },
    async handle({ services, caller, ids, query, ctx, signal }) {
      const isInline = query.images === 'inline';
      const requester = { user: caller.userId, signal };
      const mail = await readDocument(services, requester, caller.team, ids.message_id, isInline);
      ctx.set('Content-Security-Policy', htmlPolicy);
      return sendBytes(ctx, 'text/html', htmlHead.length + mail.sizeBytes, async function* () {
        yield htmlHead;
        yield* mail.open();
      });
    },
  }),
];

/** Responds with a message's attachment, as a download. Throws NotFound. */
export async function sendAttachment(
  services: Services,
  ctx: Ctx,
  team: Id,
  message: Id,
  id: number,
): Promise<undefined> {
  const { attachment, bytes } = await readAttachment(services, team, message, id);
  const name = attachmentName(attachment);
  // RFC 6266 appendix D: outside ASCII, clients disagree on `filename`, and read `filename*`.
  ctx.attachment(name, { fallback: name.replace(/[^\x20-\x7e]/gu, '?') });
  // Keeps an attachment opened in a browser from becoming a page of Sandpost's own origin.
  ctx.set('Content-Security-Policy', "sandbox; default-src 'none'; frame-ancestors 'none'");
  return sendBytes(ctx, attachment.contentType, attachment.sizeBytes, () => bytes);
}

const mostCharacters = 200;
/** Characters that change the direction of the following text: `gpj.exe` would appear as `exe.jpg`. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns an attachment's name for saving: no path, no control characters, never empty. An unnamed attachment gets the extension of its
 * type.
 */
export function attachmentName({
  filename,
  id,
  contentType,
}: Pick<Attachment, 'filename' | 'id' | 'contentType'>): string {
  const plain = (filename ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .replace(directions, '');
  const base = path.posix.basename(plain.replaceAll('\\', '/')).trim();
  const name = [...base].slice(0, mostCharacters).join('');
  return name === '' || /^\.+$/.test(name) ? `attachment-${id}.${extensionOf(contentType)}` : name;
}

/** For a reader, reports and unknown types of text are plain text. */
function extensionOf(contentType: string): string {
  if (contentType.startsWith('message/') && contentType !== 'message/rfc822') return 'txt';
  return extension(contentType) || (contentType.startsWith('text/') ? 'txt' : 'bin');
}
