import { blindCopies } from '#api/catchers/reading.ts';
import type { Attachment, MessageContent, MimePart, NamedAddress } from '#core/messages/content.ts';
import type { Message } from '#core/messages/message.ts';
import { withoutBrackets } from '#core/query/values.ts';

const person = ({ name, address }: NamedAddress) => ({ Name: name, Address: address });

/** Converts line ends to those used in mail transfer. */
export const asSent = (text: string) => text.replaceAll('\n', '\r\n');

/** Fields that lists and messages share. */
function head(message: Message) {
  const { id, content, envelope, tags, sizeBytes } = message;
  return {
    ID: String(id),
    MessageID: withoutBrackets(content.msgid ?? ''),
    From: person(content.from ?? { name: '', address: '' }),
    To: content.to.map(person),
    Cc: content.cc.map(person),
    Bcc: [...content.bcc, ...blindCopies(message, [...content.to, ...content.cc, ...content.bcc])].map(
      person,
    ),
    ReplyTo: content.replyTo.map(person),
    Subject: content.subject,
    Tags: tags.toSorted((a, b) => a.localeCompare(b, 'en')),
    Username: envelope.authenticatedAs?.userName ?? envelope.authenticatedAs?.name ?? '',
    Size: sizeBytes,
  };
}

export function presentSummary(message: Message) {
  const { isRead, receivedAt, content } = message;
  return {
    ...head(message),
    Read: isRead,
    Created: receivedAt.toISOString(),
    Attachments: content.attachments.filter(({ disposition }) => disposition === 'attachment').length,
    Snippet: content.intro,
  };
}

export function presentMessage(message: Message) {
  const { envelope, content, receivedAt } = message;
  const { text, html, htmlText, attachments, structure } = content;
  const parts = partIds(structure);
  const those = (wanted: Attachment['disposition']) =>
    attachments.flatMap((one) => (one.disposition === wanted ? [presentFile(one, parts)] : []));
  return {
    ...head(message),
    ReturnPath: envelope.mailFrom || (content.from?.address ?? ''),
    ListUnsubscribe: unsubscribeOf(content.headers),
    Date: (content.date ?? receivedAt).toISOString(),
    Text: asSent(text ?? htmlText?.added ?? ''),
    HTML: asSent(html ?? ''),
    Inline: those('inline'),
    Attachments: those('attachment'),
  };
}

/** Presents the List-Unsubscribe field (RFC 2369). */
function unsubscribeOf(headers: MessageContent['headers']) {
  const field = (wanted: string) =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value.trim() ?? '';
  const header = field('list-unsubscribe');
  const bracketed = header
    .split('<')
    .flatMap((rest) => (rest.includes('>') ? (rest.split('>')[0] ?? []) : []));
  const links = bracketed.filter((link) => /^(?:mailto:|https?:\/\/)[^\s]+$/i.test(link));
  const fault = header === '' || links.length > 0 ? '' : `"${header}" no valid unsubscribe links found`;
  return { Header: header, Links: links, Errors: fault, HeaderPost: field('list-unsubscribe-post') };
}

function presentFile(
  { id, filename, contentType, contentId, sizeBytes, sha256 }: Attachment,
  parts: Map<number, string>,
) {
  const cid = withoutBrackets(contentId ?? '');
  return {
    PartID: parts.get(id) ?? '',
    FileName: filename ?? cid,
    ContentType: contentType,
    ContentID: cid,
    Size: sizeBytes,
    Checksums: { MD5: '', SHA1: '', SHA256: sha256 },
  };
}

/**
 * Returns attachments' part ids: their positions in the MIME tree, such as `1.2`, and `0` for a single-part email. The parser
 * limits the tree's depth, which bounds the recursion.
 */
export function partIds(part: MimePart, path = '0', found = new Map<number, string>()): Map<number, string> {
  if (part.attachmentId !== null) found.set(part.attachmentId, path);
  for (const [index, child] of part.children.entries())
    partIds(child, path === '0' ? `${index + 1}` : `${path}.${index + 1}`, found);
  return found;
}
