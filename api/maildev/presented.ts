import { blindCopies } from '#api/catchers/reading.ts';
import type { Attachment, MessageContent } from '#core/messages/content.ts';
import type { Message } from '#core/messages/message.ts';
import { withoutBrackets } from '#core/query/values.ts';

const shown = <T>(list: T[]) => (list.length === 0 ? undefined : list);
const reached = (address: string) => ({ address, args: false });

/** Presents an email in MailDev's format. Fields that are undefined are absent from the JSON. */
export function presentMail(message: Message) {
  const { id, content, envelope, receivedAt, isRead, sizeBytes } = message;
  const { html, text, subject, from, to, cc, bcc, replyTo, attachments } = content;
  const date = (content.date ?? receivedAt).toISOString();
  return {
    html: html ?? undefined,
    text: text ?? undefined,
    headers: headersOf(content),
    subject,
    references: shown(content.references.map(withoutBrackets)),
    messageId: content.msgid === null ? undefined : withoutBrackets(content.msgid),
    inReplyTo: content.inReplyTo === null ? undefined : [withoutBrackets(content.inReplyTo)],
    ...{ from: shown(from === null ? [] : [from]), replyTo: shown(replyTo), to: shown(to) },
    ...{ cc: shown(cc), bcc: shown(bcc) },
    ...{ date, id: String(id), time: date, read: isRead },
    envelope: {
      from: reached(envelope.mailFrom),
      to: envelope.rcptTo.map(reached),
      ...{ host: envelope.helo, remoteAddress: envelope.remoteAddress },
    },
    ...{ source: `/email/${id}/source`, size: sizeBytes },
    attachments: shown(attachments.map(presentFile)) ?? null,
    calculatedBcc: blindCopies(message, [...to, ...cc]),
  };
}

/** Returns the header fields by their names in lower case. Fields with the same name become a list. */
function headersOf({ headers }: Pick<MessageContent, 'headers'>) {
  const byName = Map.groupBy(headers, ({ name }) => name.toLowerCase());
  const oneOrMore = (same: typeof headers) =>
    same.length > 1 ? same.map(({ value }) => value) : same[0]?.value;
  return Object.fromEntries(Array.from(byName, ([name, same]) => [name, oneOrMore(same)]));
}

/** Returns an attachment's name in the path of its bytes: its id with the extension of its own name. */
export function pathName({ id, filename }: Attachment): string {
  return `${id}${/\.[a-z0-9]{1,10}$/i.exec(filename ?? '')?.[0] ?? ''}`;
}

function presentFile(file: Attachment) {
  return {
    contentType: file.contentType,
    fileName: file.filename ?? `attachment-${file.id}`,
    contentId: file.contentId === null ? undefined : withoutBrackets(file.contentId),
    transferEncoding: file.body.encoding === 'identity' ? '7bit' : file.body.encoding,
    contentDisposition: file.disposition,
    generatedFileName: pathName(file),
    ...{ checksum: file.sha256, length: file.sizeBytes, transformed: true },
  };
}
