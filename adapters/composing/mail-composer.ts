import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import MailCompiler from 'nodemailer/lib/mail-composer';
import { type Composed, type Draft, type DraftAttachment, overlong } from '#core/delivery/compose.ts';
import type { NamedAddress } from '#core/messages/content.ts';

/** Text length above which nodemailer always encodes text, so the text can be passed in pieces. */
const longText = 128 * 1024;
const pieceLength = 64 * 1024;

/**
 * Composes a message with nodemailer, which may not read files or open URLs that a draft names. Throws Invalid as soon as the
 * message exceeds `maxBytes`.
 */
export async function composeMail(draft: Draft, maxBytes: number): Promise<Composed> {
  const { from, to, cc, bcc, replyTo } = draft;
  const chosen = draft.headers.find(({ name }) => name.toLowerCase() === 'message-id')?.value;
  const messageId =
    chosen?.trim().replace(/^<|>$/g, '') ?? `${randomUUID()}@${domainToASCII(domainOf(from.address))}`;
  const longest = [draft.text ?? '', draft.html ?? ''].sort((a, b) => b.length - a.length)[0] ?? '';
  const compiler = new MailCompiler({
    // Addresses are objects because nodemailer does not parse objects as a list or a header.
    from,
    to,
    cc,
    replyTo,
    subject: draft.subject,
    ...(draft.text === null ? {} : { text: content(draft.text) }),
    ...(draft.html === null ? {} : { html: content(draft.html) }),
    ...(longest.length > longText ? { textEncoding: encodingOf(longest) } : {}),
    headers: draft.headers
      .filter(({ name }) => name.toLowerCase() !== 'message-id')
      .map(({ name, value }) => ({ key: name, value })),
    attachments: draft.attachments.map(attached),
    messageId: `<${messageId}>`,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of compiler.compile().createReadStream()) {
    length += piece.length;
    if (length > maxBytes) throw overlong(maxBytes);
    pieces.push(piece);
  }
  // Copies the bytes to a separate buffer: Buffer.concat may use a pool, which cannot move to another thread.
  const message = new Uint8Array(length);
  let end = 0;
  for (const piece of pieces) {
    message.set(piece, end);
    end += piece.length;
  }
  const bare = (list: NamedAddress[]) => list.map(({ address }) => address);
  return {
    mailFrom: from.address,
    addressees: { to: bare(to), cc: bare(cc), bcc: bare(bcc), replyTo: bare(replyTo) },
    messageId,
    message,
    ...(draft.note === undefined ? {} : { note: draft.note }),
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function attached({ filename, contentType, contentId, bytes }: DraftAttachment) {
  return {
    filename: filename ?? (false as const),
    content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    ...(contentType === null ? {} : { contentType }),
    ...(contentId === null ? {} : { cid: contentId, contentDisposition: 'inline' as const }),
  };
}

/** Ends each line with CRLF. nodemailer leaves a lone carriage return unchanged. */
function withCrlf(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n');
}

function content(text: string): string | Readable {
  return text.length > longText ? Readable.from(piecesOf(text)) : withCrlf(text);
}

/** Splits text into pieces that never end within a CRLF or a surrogate pair. */
function* piecesOf(text: string): Generator<Buffer> {
  for (let start = 0; start < text.length; ) {
    const [last, next] = [text.charCodeAt(start + pieceLength - 1), text.charCodeAt(start + pieceLength)];
    const splits = (last === 0x0d && next === 0x0a) || (last & 0xfc00) === 0xd800;
    const end = start + pieceLength + (splits ? 1 : 0);
    yield Buffer.from(withCrlf(text.slice(start, end)));
    start = end;
  }
}

/** Chooses quoted-printable if most letters are ASCII, otherwise base64, as nodemailer does for whole text. */
function encodingOf(text: string): 'quoted-printable' | 'base64' {
  let letters = 0;
  let others = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) others += 1;
    else if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)) letters += 1;
    else if (code < 0x20 && ![0x09, 0x0a, 0x0d].includes(code)) others += 1;
  }
  return others < letters ? 'quoted-printable' : 'base64';
}
