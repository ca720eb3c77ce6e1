import type Joi from 'joi';
import { namedIn } from '#api/context.ts';
import { cut } from '#api/mcp/bounded.ts';
import { type McpCall, partOf, type Result, tool } from '#api/mcp/tool.ts';
import { operation } from '#api/operation.ts';
import { attachmentShape, linksOf, messageShape } from '#api/shapes/message.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { deletion, text, type Wire } from '#api/shapes/response-shape.ts';
import { queryFlag, queryInteger } from '#api/shapes/values.ts';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { readAttachment, readRaw } from '#core/messages/read-message.ts';

const getMessage = operation('getMessage', messageShape);
const deleteMessage = operation('deleteMessage', deletion);

const anyId = (what: string) => ({
  schema: queryInteger(1, Number.MAX_SAFE_INTEGER).description(what),
  required: true,
});
export const messageId = () => ({
  names: ['message_id'] as [string],
  ...anyId('`id` of a message from search_mail or wait_for_mail.'),
});

const read = partOf(
  messageShape,
  ...([
    'id',
    'subject',
    'from',
    'to',
    'cc',
    'reply_to',
    'delivered_to',
    'received_at',
    'text',
    'html_text',
  ] as const),
  ...(['codes', 'links', 'attachments', 'spf', 'dkim', 'dmarc', 'tags', 'trace_id', 'sender'] as const),
);
const flag = (name: string, description: string) => ({
  names: [name] as [string],
  schema: queryFlag().default(false).description(description),
});
const { html, headers } = messageShape.fields;
type Read = Wire<typeof read> &
  Partial<Pick<Wire<typeof messageShape>, 'html' | 'headers'> & { source: string }>;

export const readMail = tool({
  name: 'read_mail',
  title: 'Read an email',
  description: `Reads one email: text, one-time codes, links, attachments, and SPF, DKIM and DMARC results. Returns \`html\`, \`headers\` and \`source\` on request. Truncates each text after ${limits.mcp.textCharacters} characters.`,
  permission: 'mail',
  input: requestShape<{ id: Id; html: boolean; headers: boolean; source: boolean }>('ReadMail', {
    id: messageId(),
    html: flag('html', 'Whether to include the HTML part.'),
    headers: flag('headers', 'Whether to include all header fields, decoded.'),
    source: flag('source', "Whether to include the email's source, as received."),
  }),
  output: read.schema.append<Read>({ html: html[0], headers: headers[0], source: text() }),
  async run(call, { id, ...asked }) {
    const message = await getMessage(call, { ids: { message_id: id } });
    const answer = {
      ...read.pick(message),
      ...(asked.html && { html: message.html }),
      ...(asked.headers && { headers: message.headers }),
      ...(asked.source && { source: await sourceOf(call, id) }),
    };
    return { answer };
  },
});

/** Reads the beginning of an email as received. Invalid UTF-8 bytes become U+FFFD. */
async function sourceOf({ services, caller }: McpCall, id: Id): Promise<string> {
  const raw = await readRaw(services, caller.team, id);
  const most = limits.mcp.textCharacters;
  const begin = await bytesOf(raw.open(), most);
  const shown = begin.toString('utf8');
  return raw.sizeBytes <= most ? shown : cut(shown, `${raw.sizeBytes} bytes`);
}

/** Collects the first `most` bytes. */
async function bytesOf(source: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    pieces.push(piece);
    length += piece.length;
    if (length >= most) break;
  }
  return Buffer.concat(pieces).subarray(0, most);
}

const file = partOf(attachmentShape, 'id', 'filename', 'content_type', 'size_bytes', 'sha256', 'downloadUrl');

export const getAttachment = tool({
  name: 'get_attachment',
  title: 'Get an attachment',
  description: `Returns an email's attachment, decoded, up to ${limits.mcp.attachmentBytes / 1024} KiB: images as images, text as text, and other files in base64. Download larger files from their downloadUrl, with the API key in X-API-KEY.`,
  permission: 'mail',
  input: requestShape<{ id: Id; attachment: Id }>('GetAttachment', {
    id: messageId(),
    attachment: { names: ['attachment_id'], ...anyId('`id` of one of the `attachments` from read_mail.') },
  }),
  output: file.schema,
  async run({ services, caller }, input) {
    const found = await readAttachment(services, caller.team, input.id, input.attachment).catch((error) => {
      throw namedIn('/api/messages/{message_id}/attachments/{attachment_id}', error);
    });
    const { attachment, bytes } = found;
    const url = linksOf(services.config, caller).url(
      `/api/messages/${input.id}/attachments/${input.attachment}`,
    );
    const { sizeBytes } = attachment;
    const most = limits.mcp.attachmentBytes;
    if (sizeBytes > most) {
      services.metrics.limitReached('mcp.attachmentBytes');
      const sentence = `has ${sizeBytes} bytes, but this tool returns up to ${most}: download ${url}`;
      throw invalid('attachment_id', sentence);
    }
    const answer = file.pick(attachmentShape.present({ ...attachment, url }));
    return { answer, files: [fileOf(answer, await bytesOf(bytes, most))] };
  },
});

/** Presents a file in a form that a model can read. */
function fileOf(
  {
    content_type: type,
    downloadUrl: uri,
  }: Pick<Wire<typeof attachmentShape>, 'content_type' | 'downloadUrl'>,
  bytes: Buffer,
): NonNullable<Result<unknown>['files']>[number] {
  if (/^image\/(png|jpeg|gif|webp)$/.test(type))
    return { type: 'image', data: bytes.toString('base64'), mimeType: type };
  const content = /^text\//.test(type)
    ? { text: bytes.toString('utf8') }
    : { blob: bytes.toString('base64') };
  return { type: 'resource', resource: { uri, mimeType: type, ...content } };
}

export const deleteMail = tool({
  name: 'delete_mail',
  title: 'Delete an email',
  description: 'Permanently deletes one email.',
  permission: 'write',
  destroys: true,
  input: requestShape<{ id: Id }>('DeleteMail', { id: messageId() }),
  output: deletion.schema as Joi.ObjectSchema<Wire<typeof deletion>>,
  run: async (call, { id }) => ({ answer: await deleteMessage(call, { ids: { message_id: id } }) }),
});
