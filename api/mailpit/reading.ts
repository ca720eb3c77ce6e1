import { readFileSync } from 'node:fs';
import { blindCopies, markRead, sendHtml, sendRaw } from '#api/catchers/reading.ts';
import { type CatcherCall, sendText } from '#api/catchers/route.ts';
import { bytesOperation } from '#api/operation.ts';
import { attachmentName } from '#api/routes/message-bytes.ts';
import { malformed } from '#api/shapes/problem.ts';
import type { Attachment } from '#core/messages/content.ts';
import type { Message } from '#core/messages/message.ts';
import { withoutBrackets } from '#core/query/values.ts';
import { missing, noHtml } from './dialect.ts';
import { idOf, messageOf } from './listing.ts';
import { asSent, partIds, presentMessage } from './presented.ts';

const getAttachment = bytesOperation('getAttachment');

/** Reads a message and marks it as read. */
export const openMessage = async (call: CatcherCall, named?: string): Promise<Message> =>
  markRead(call, await messageOf(call, named));

export const answerMessage = async (call: CatcherCall) => presentMessage(await openMessage(call));

/**
 * Responds with the decoded header fields, by their names as Go spells them. Like Mailpit, adds Return-Path with the envelope sender, and
 * Bcc with the recipients that no field names.
 */
export async function answerHeaders(call: CatcherCall): Promise<Record<string, string[]>> {
  const message = await messageOf(call);
  const { headers, to, cc, bcc } = message.content;
  const byName = Map.groupBy(headers, ({ name }) => canonical(name));
  const fields = new Map(Array.from(byName, ([name, same]) => [name, same.map(({ value }) => value)]));
  const { mailFrom } = message.envelope;
  if (withoutBrackets(fields.get('Return-Path')?.[0] ?? '') !== mailFrom)
    fields.set('Return-Path', [`<${mailFrom}>`]);
  const blind = blindCopies(message, [...to, ...cc, ...bcc]).map(({ address }) => address);
  if (blind.length > 0) fields.set('Bcc', [[...(fields.get('Bcc') ?? []), ...blind].join(', ')]);
  return Object.fromEntries([...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Spells a header field's name like `Content-Type`. */
function canonical(name: string): string {
  const words = name.toLowerCase().split('-');
  return words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join('-');
}

export async function answerRaw(call: CatcherCall): Promise<undefined> {
  const isFile = new URLSearchParams(call.ctx.querystring).get('dl') === '1';
  return sendRaw(call, 'text/plain', isFile ? '.eml' : '', await idOf(call));
}

async function partOf(call: CatcherCall): Promise<{ message: Message; attachment: Attachment } | null> {
  const message = await messageOf(call);
  const { attachments, structure } = message.content;
  const parts = partIds(structure);
  const attachment = attachments.find(({ id }) => parts.get(id) === call.params.part);
  return attachment === undefined ? null : { message, attachment };
}

/** Types that a browser would execute or apply as styles. Attachments of these types are downloaded instead. */
const active =
  /^(?:text\/html|text\/xsl|(?:text|application)\/xml|application\/xhtml\+xml|image\/svg\+xml)$/i;

export async function answerPart(call: CatcherCall): Promise<undefined> {
  const part = await partOf(call);
  if (part === null) return missing();
  await sendPart(call, part.message, part.attachment);
}

/** Sends an attachment's bytes, in a separate sandbox. */
async function sendPart(call: CatcherCall, { id }: Message, attachment: Attachment): Promise<void> {
  const { ctx } = call;
  await getAttachment(call, { ids: { message_id: id, attachment_id: attachment.id } });
  if (active.test(attachment.contentType)) ctx.set('Content-Type', 'application/octet-stream');
  else ctx.set('Content-Disposition', `inline; filename="${encodeURIComponent(attachmentName(attachment))}"`);
}

const blank = readFileSync(new URL('./blank.jpg', import.meta.url));

/** Sends a picture in full size, because pages scale it down. Sends a blank picture in place of any other file. */
export async function answerThumbnail(call: CatcherCall): Promise<undefined> {
  const part = await partOf(call);
  if (part === null) throw malformed('attachment not found');
  const { message, attachment } = part;
  if (/^image\/(?:png|jpeg|gif|webp|bmp)$/i.test(attachment.contentType)) {
    await sendPart(call, message, attachment);
    return;
  }
  call.ctx.type = 'image/jpeg';
  call.ctx.body = blank;
}

/** Serves `/view/7.html`, `/view/7.txt`, `/view/latest` and `/view/7`. */
export async function answerView(call: CatcherCall): Promise<undefined> {
  const { ctx, services, caller } = call;
  const [, named = '', ending = ''] = /^(.*?)(\.html|\.txt)?$/s.exec(call.params.file ?? '') ?? [];
  const { basePath } = services.config;
  if (ending === '') {
    const team = caller.team === caller.userId ? '' : `/team/${caller.team}`;
    const { accountId, mailboxId, id } = await messageOf(call, named);
    ctx.redirect(`${basePath}${team}/mail/${accountId}/${mailboxId}/${id}`);
    return;
  }
  const { id, content } = await openMessage(call, named);
  if (ending === '.txt') return sendText(ctx, asSent(content.text ?? content.htmlText?.added ?? ''));
  if (content.html === null) missing(noHtml);
  return sendHtml(call, id);
}
