import { randomUUID } from 'node:crypto';

/** Sender of a message: a bare address, and the display name for the From field. */
export type Sender = { address: string; name: string };

type Field = { name: string; lines: string[] };

/** Message as a latin1 string, one character per octet, split into header fields and body. */
export type Message = { fields: Field[]; body: string };

/**
 * Reads the message from standard input (latin1, lines ending in LF or CRLF). With `dotEnds`, a line that consists of a single dot ends
 * the message. The header ends at the first line that is not a field. Skips an mbox line before the header.
 */
export function readMessage(input: string, dotEnds: boolean): Message {
  const all = input.split(/\r?\n/);
  if (all.at(-1) === '') all.pop();
  const end = dotEnds ? all.indexOf('.') : -1;
  const lines = end === -1 ? all : all.slice(0, end);
  let at = /^>?From /.test(lines[0] ?? '') ? 1 : 0;
  const fields: Field[] = [];
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const name = /^([!-9;-~]+)[ \t]*:/.exec(line)?.[1];
    const last = fields.at(-1);
    if (name) fields.push({ name: name.toLowerCase(), lines: [line] });
    else if (last && /^[ \t]/.test(line)) last.lines.push(line);
    else break;
  }
  if (lines[at] === '') at++;
  return {
    fields,
    body: lines
      .slice(at)
      .map((line) => `${line}\r\n`)
      .join(''),
  };
}

/** Returns the addresses in the fields To, Cc and Bcc. */
export function headerRecipients({ fields }: Message): string[] {
  return fields
    .filter(({ name }) => ['to', 'cc', 'bcc'].includes(name))
    .flatMap(({ lines }) =>
      addresses(
        Buffer.from(lines.join(''), 'latin1')
          .toString()
          .replace(/^[^:]*:/, ''),
      ),
    );
}

/** Pieces of an address list: a quoted string, an escaped character, or a single character. */
// Bounded: the input is the mail of the person who runs the command.
const listPieces = /"(?:[^"\\]|\\.)*"|\\.|./gsu;

/**
 * Returns the addresses of an address list (RFC 5322 section 3.4), without names, comments or group names. A quoted string is a display
 * name unless it directly precedes an `@`.
 */
export function addresses(list: string): string[] {
  const found: string[] = [];
  let comments = 0;
  let item = '';
  let bracketed: string | null = null;
  let inBrackets = false;
  const end = () => {
    // Bounded: as above.
    const plain = () => item.replace(/"(?:[^"\\]|\\.)*"([@.]?)/gsu, (quoted, next) => (next ? quoted : ''));
    const address = (bracketed ?? plain()).trim();
    if (address !== '') found.push(address);
    item = '';
    bracketed = null;
    inBrackets = false;
  };
  for (const [piece] of list.matchAll(listPieces)) {
    if (piece === '(' && !inBrackets) comments += 1;
    else if (comments > 0) comments -= piece === ')' ? 1 : 0;
    else if (piece === '>') inBrackets = false;
    else if (inBrackets) bracketed += piece;
    else if (piece === '<') {
      bracketed = '';
      inBrackets = true;
    } else if (piece === ',' || piece === ';') end();
    else if (piece === ':' && !item.includes('@')) item = '';
    else item += piece;
  }
  end();
  return found;
}

/** Completes a message for sending: removes Bcc, adds missing From, Date and Message-ID fields, and ends lines with CRLF. */
export function complete({ fields, body }: Message, sender: Sender, now: Date): string {
  const has = (name: string) => fields.some((field) => field.name === name);
  const host = sender.address.slice(sender.address.lastIndexOf('@') + 1) || 'localhost';
  const from = Buffer.from(
    sender.name ? `${phrase(sender.name)} <${sender.address}>` : sender.address,
  ).toString('latin1');
  const date = now.toUTCString().replace('GMT', '+0000');
  const lines = [
    ...fields.filter(({ name }) => name !== 'bcc').flatMap((field) => field.lines),
    ...(has('from') ? [] : [`From: ${from}`]),
    ...(has('date') ? [] : [`Date: ${date}`]),
    ...(has('message-id') ? [] : [`Message-ID: <${randomUUID()}@${host}>`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Encodes a display name according to RFC 5322, or RFC 2047 if it contains non-ASCII characters. */
function phrase(name: string): string {
  if (/^[\w !#$%&'*+/=?^`{|}~-]+$/.test(name)) return name;
  if (/^[ -~]*$/.test(name)) return `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
  return `=?utf-8?B?${Buffer.from(name).toString('base64')}?=`;
}
