import { buffer } from 'node:stream/consumers';
import { limits } from '#core/limits.ts';
import type { Message, RawMessage } from '#core/messages/message.ts';

/** Maximum shown bytes of an email, and maximum parts and levels of parts. Each level repeats the bytes of the level above. */
const sourceBytes = 262_144;
const mostParts = 1_000;
const mostLevels = 4;

/** Header and body of an email or a part, as received. */
type Content = { Headers: Record<string, string[]>; Body: string; Size: number; MIME: Mime };
type Mime = { Parts: Content[] | null } | null;

/** Presents an email in MailHog's format: its first bytes, as received. */
export async function presentMail({ id, envelope, receivedAt }: Message, raw: RawMessage) {
  const { mailFrom, rcptTo, helo } = envelope;
  const end = Math.min(raw.sizeBytes, sourceBytes);
  const source = (await buffer(raw.open({ start: 0, end }))).toString();
  const data = source.endsWith('\r\n') ? source.slice(0, -2) : source;
  const content = contentOf(data);
  return {
    ID: String(id),
    From: pathOf(mailFrom),
    To: rcptTo.map(pathOf),
    Content: { ...content, Size: raw.sizeBytes - source.length + data.length },
    Created: receivedAt.toISOString(),
    MIME: mimeOf(content, { parts: mostParts }, 1),
    Raw: { From: mailFrom, To: rcptTo, Data: data, Helo: helo ?? '' },
  };
}

function pathOf(address: string) {
  const [mailbox = '', ...domain] = address.split('@');
  return { Relays: null, Mailbox: mailbox, Domain: domain.join('@'), Params: '' };
}

/** Splits text at its first empty line. The last of several fields with the same name counts. */
function contentOf(text: string): Content {
  const gap = text.indexOf('\r\n\r\n');
  const headers = new Map<string, string>();
  let last: string | undefined;
  for (const line of gap < 0 ? [] : text.slice(0, gap).split('\r\n', limits.answers.headerFields)) {
    const colon = line.indexOf(': ');
    if (last !== undefined && /^[ \t]/.test(line)) headers.set(last, `${headers.get(last)}${line}`);
    else if (colon >= 0) {
      last = line.slice(0, colon);
      headers.set(last, line.slice(colon + 2));
    }
  }
  return {
    Headers: Object.fromEntries(Array.from(headers, ([name, value]) => [name, [value]])),
    Body: gap < 0 ? text : text.slice(gap + 4),
    Size: Buffer.byteLength(text),
    MIME: null,
  };
}

/** Splits a body at its boundary. The text before the first and after the last part also counts as parts. `left` bounds the parts. */
function mimeOf(content: Content, left: { parts: number }, level: number): Mime {
  const type = content.Headers['Content-Type']?.[0] ?? '';
  if (!type.startsWith('multipart/')) return null;
  const [, quoted, bare] = /;[ \t]*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare ?? '';
  if (boundary === '' || level > mostLevels) return { Parts: null };
  const parts = content.Body.split(`--${boundary}`, left.parts).filter((part) => part !== '');
  left.parts -= parts.length;
  return {
    Parts: parts.map((text) => {
      const part = contentOf(withoutEdges(text));
      return { ...part, MIME: mimeOf(part, left, level + 1) };
    }),
  };
}

/** Removes the line ends at both ends of a part. */
function withoutEdges(text: string): string {
  let [start, end] = [0, text.length];
  while (isLineEnd(text.charCodeAt(start))) start += 1;
  while (end > start && isLineEnd(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isLineEnd = (code: number) => code === 10 || code === 13;
