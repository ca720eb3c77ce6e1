import { type Composed, overlong, type RawDraft } from '#core/delivery/compose.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Completes a message that its sender has composed: ends lines with CRLF, and removes Bcc from the header. Throws Invalid if the message
 * exceeds `maxBytes`.
 */
export function rawMail({ raw, mailFrom, recipients }: RawDraft, maxBytes: number): Composed {
  if (raw.length > maxBytes) throw overlong(maxBytes);
  const lines = withCrlf(raw);
  const end = headerEnd(lines);
  const header = lines.subarray(0, end).toString('latin1');
  const shown = Buffer.from(
    header.replace(/^(?:resent-)?bcc[ \t]*:.*(?:\r\n[ \t].*)*(?:\r\n|$)/gim, ''),
    'latin1',
  );
  const message = new Uint8Array(shown.length + lines.length - end);
  message.set(shown);
  message.set(lines.subarray(end), shown.length);
  if (message.length > maxBytes) throw overlong(maxBytes);
  const messageId = /^message-id[ \t]*:\s*<([^>\r\n\u2028\u2029]*)>/im.exec(header)?.[1] ?? null;
  const addressees = { to: recipients, cc: [], bcc: [], replyTo: [] };
  return { mailFrom, addressees, messageId, message };
}

/** Ends each line with CRLF. */
function withCrlf(bytes: Uint8Array): Buffer {
  let lone = 0;
  for (let at = 0; at < bytes.length; at += 1) if (isLone(bytes, at)) lone += 1;
  if (lone === 0) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const lines = Buffer.alloc(bytes.length + lone);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === lineFeed && isLone(bytes, at)) lines[end++] = carriageReturn;
    lines[end++] = byte;
    if (byte === carriageReturn && isLone(bytes, at)) lines[end++] = lineFeed;
  }
  return lines;
}

/** Checks whether a carriage return or line feed occurs outside a CRLF. */
function isLone(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] === lineFeed) return bytes[at - 1] !== carriageReturn;
  return bytes[at] === carriageReturn && bytes[at + 1] !== lineFeed;
}

/** Returns the end of the header section: the offset after its last field's line end. */
function headerEnd(lines: Buffer): number {
  if (lines.subarray(0, 2).toString('latin1') === '\r\n') return 0;
  const blank = lines.indexOf('\r\n\r\n');
  return blank === -1 ? lines.length : blank + 2;
}
