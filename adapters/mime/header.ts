import { isUtf8 } from 'node:buffer';
import { type LimitName, limits } from '#core/limits.ts';
import { withoutComments } from '#core/messages/comments.ts';
import type { TransferEncoding } from '#core/messages/content.ts';
import { charsetOf, decodeOctets as decodeText, isWide } from './charset.ts';
import { readParameters } from './words.ts';

/** Header field: its name as spelled, its value unfolded, encoded words unchanged. */
export type HeaderField = { name: string; value: string };

const maxFields = limits.answers.headerFields;
const maxField = limits.mail.headerFieldBytes;
const byteOrderMark = '\xef\xbb\xbf';
/** Line of a body that looks like a field. */
const link = /^https?:\/\//i;
/** Fields that may continue a header section after a line that is not a field. Any other name may be a word in the body. */
const familiar =
  /^(?:from|to|cc|bcc|subject|date|sender|received|references|comments|keywords|organization|precedence|importance|priority|(?:x|arc|authentication|auto|content|delivered|delivery|dkim|envelope|errors|in|list|message|mime|original|received|reply|resent|return|thread|user)-.*)$/i;

/**
 * Collects the fields of one header section (RFC 5322 section 2.2): up to 1,000 fields, the first 64 KiB of each, and `maxOctets` in
 * total. Octets beyond a field's own limit do not count toward the total.
 */
export class MimeHeader {
  /** Limit that caused fields to be omitted. */
  limit: LimitName | null = null;
  /** True if the section contains octets above 127. */
  eightBit = false;
  #left: number;
  #fields: { name: string; lines: string[]; eightBit: boolean; left: number }[] = [];
  /** True while the current line and its continuations belong to a kept field. */
  #taking = false;
  /** True while the current line and its continuations are not part of a field. */
  #stray = false;
  /** True from a line that is not a field to the next field that mailers write: the lines in between may be the body. */
  #broken = false;

  constructor(maxOctets: number) {
    this.#left = maxOctets;
  }

  /** Accepts a line, or a piece of a line, without its ending. Returns false if it is not part of a field. */
  line(buffer: Buffer, start: number, end: number, continued: boolean, eightBit: boolean): boolean {
    if (eightBit) this.eightBit = true;
    const folded =
      continued || buffer[start] === 0x20 || buffer[start] === 0x09 || this.#isParameter(buffer, start, end);
    const field = folded ? this.#fields.at(-1) : undefined;
    if (!folded) this.#stray = false;
    if (folded && (!this.#taking || field === undefined)) return !this.#stray;
    const length = Math.min(end - start, this.#left, field?.left ?? maxField);
    if (length < end - start) this.limit = length < this.#left ? 'mail.headerFieldBytes' : 'mail.headerBytes';
    if (length === 0) return true;
    const text = buffer.toString('latin1', start, start + length);
    this.#left -= length;
    if (field === undefined) {
      this.#begin(text, eightBit);
      return !this.#stray;
    }
    field.left -= length;
    field.lines.push(continued ? text : ` ${trimBlanks(text)}`);
    field.eightBit ||= eightBit;
    return true;
  }

  fields(): HeaderField[] {
    return this.#fields.map(({ name, lines, eightBit }) => {
      const value = lines.length === 1 ? (lines[0] ?? '') : lines.join('');
      return { name, value: eightBit ? decodeOctets(value, () => this.#charset()) : value };
    });
  }

  /** Charset of the body. Some mailers also write header fields in it. */
  #charset(): string | null {
    const type = this.#fields.find(({ name }) => name.toLowerCase() === 'content-type');
    return type === undefined
      ? null
      : (parse(withSemicolon(type.lines.join('').slice(0, maxValue))).params.get('charset') ?? null);
  }

  /** Checks for a parameter of the preceding field whose line lacks the leading space of a continuation, as some mailers write it. */
  #isParameter(buffer: Buffer, start: number, end: number): boolean {
    const field = this.#taking ? this.#fields.at(-1) : undefined;
    return (
      field?.lines.at(-1)?.endsWith(';') === true &&
      /^content-(?:type|disposition)$/i.test(field.name) &&
      /^[\w*-]{1,40}=/.test(buffer.toString('latin1', start, Math.min(end, start + 50)))
    );
  }

  #begin(line: string, eightBit: boolean): void {
    const text = this.#fields.length === 0 && line.startsWith(byteOrderMark) ? line.slice(3) : line;
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0)).trimEnd();
    const isField =
      /^[!-9;-~\x80-\xff]{1,200}$/.test(name) && !link.test(text) && !(this.#broken && !familiar.test(name));
    // Skips a line that is not a field, with its continuations. An mbox line is not part of the body, either.
    this.#stray = !isField && !/^>?From /.test(text);
    this.#broken = this.#stray;
    this.#taking = isField && this.#fields.length < maxFields;
    if (this.#taking) {
      this.#fields.push({
        name,
        lines: [trimBlanks(text.slice(colon + 1))],
        eightBit,
        left: maxField - text.length,
      });
    } else if (this.#fields.length >= maxFields) this.limit = 'answers.headerFields';
  }
}

/** Removes white space at both ends. `trim` would remove 0xA0, which may be a character's last octet. */
function trimBlanks(octets: string): string {
  let start = 0;
  let end = octets.length;
  while (start < end && ' \t\r'.includes(octets.charAt(start))) start += 1;
  while (end > start && ' \t\r'.includes(octets.charAt(end - 1))) end -= 1;
  return octets.slice(start, end);
}

/** Beginnings of UTF-8 characters whose other octets are missing, because a sender cut the text after a number of octets. */
const cutCharacters =
  /[\xc2-\xdf](?![\x80-\xbf])|[\xe0-\xef][\x80-\xbf]?(?![\x80-\xbf])|[\xf0-\xf4][\x80-\xbf]{0,2}(?![\x80-\xbf])/g;

/** Decodes octets as UTF-8 (RFC 6532). If they are not UTF-8, decodes them in the body's charset, or as windows-1252. */
function decodeOctets(latin1: string, charset: () => string | null): string {
  const octets = Buffer.from(latin1, 'latin1');
  return isUtf8(octets) || isCutUtf8(latin1)
    ? octets.toString('utf8')
    : decodeText(octets, rawEncoding(octets, charset()));
}

/** Checks for UTF-8 from which only parts of characters are missing. */
function isCutUtf8(latin1: string): boolean {
  const whole = latin1.replace(cutCharacters, '');
  return /[\x80-\xff]/.test(whole) && isUtf8(Buffer.from(whole, 'latin1'));
}

/** The octets are known not to be UTF-8. */
function rawEncoding(octets: Buffer, label: string | null): string {
  const { encoding } = charsetOf(octets, label, false);
  return encoding === 'utf-8' || isWide(encoding) ? 'windows-1252' : encoding;
}

/** MIME fields of a part (RFC 2045, RFC 2183). */
export type MimeType = {
  /** Type in lower case. If the field is missing or malformed, the parent's default applies, usually `text/plain`. */
  contentType: string;
  charset: string | null;
  /** Format and DelSp of RFC 3676. */
  flowed: boolean;
  delSp: boolean;
  boundary: string | null;
  encoding: TransferEncoding;
  /** Transfer encoding, if it is unknown. The body is then used unchanged. */
  unknownEncoding: string | null;
  disposition: 'attachment' | 'inline' | null;
  filename: string | null;
  contentId: string | null;
};

const maxValue = 16_384;
const maxName = 255;
/** Transfer encodings that change nothing, as spelled by RFC 2045 section 6 and mailers. */
const unencoded = new Set(['', '7bit', '8bit', 'binary', '7-bit', '8-bit']);
const plainType = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/** Reads one part's MIME fields, the first with each name. */
export function readMimeType(fields: HeaderField[], defaultType: string): MimeType {
  let type: string | undefined;
  let disposition: string | undefined;
  let encoding: string | undefined;
  let contentId: string | undefined;
  for (const { name, value } of fields) {
    // Comparing lengths first skips most other fields cheaply.
    if (name.length !== 12 && name.length !== 19 && name.length !== 25 && name.length !== 10) continue;
    const key = name.toLowerCase();
    if (key === 'content-type') type ??= value.slice(0, maxValue);
    else if (key === 'content-disposition') disposition ??= value.slice(0, maxValue);
    else if (key === 'content-transfer-encoding') encoding ??= value.slice(0, maxValue);
    else if (key === 'content-id') contentId ??= value.slice(0, maxName);
  }
  const typed = parse(type && withSemicolon(type));
  const placed = parse(disposition?.replace(/^\s*(?=filename[*\d]*=)/i, 'attachment; '));
  const contentType = typed.value.toLowerCase();
  const boundary = typed.params.get('boundary') || null;
  const word = encodingWord(encoding);
  return {
    contentType: plainType.test(contentType)
      ? contentType
      : (multipartOf(contentType, boundary) ?? defaultType),
    charset: typed.params.get('charset') ?? null,
    flowed: typed.params.get('format')?.toLowerCase() === 'flowed',
    delSp: typed.params.get('delsp')?.toLowerCase() === 'yes',
    boundary,
    encoding: isDecoded(word) ? word : 'identity',
    unknownEncoding: isDecoded(word) || unencoded.has(word) ? null : word,
    disposition: dispositionOf(placed.value),
    filename: cleanName(placed.params.get('filename') ?? typed.params.get('name')),
    contentId: contentId === undefined ? null : contentId.replace(/^\s*<|>\s*$/g, '').trim() || null,
  };
}

function parse(value: string | undefined): ReturnType<typeof readParameters> {
  if (value === undefined || !/[;"(\\]/.test(value))
    return { value: (value ?? '').trim(), params: new Map() };
  return readParameters(value.replace(unquotedName, quoted));
}

const unquotedName = /(;\s*(?:file)?name=)([^\s;"][^;"]*)/gi;

/** Quotes a name with brackets that are no comment, because a character follows them: `my file (1).pdf`. */
function quoted(parameter: string, start: string, name: string): string {
  return /\([^()]{0,99}\)\S/.test(name) ? `${start}"${name.trim()}"` : parameter;
}

/** Inserts the semicolon before the first parameter, which some mailers omit: `text/html charset=utf-8`. */
function withSemicolon(type: string): string {
  return type.trimStart().replace(/^([^\s;,"()/]+\/[^\s;,"()/]+)[\s,]+(?=[\w*-]{1,40}=)/, '$1; ');
}

/** First word of a Content-Transfer-Encoding, in lower case, without quotes. */
function encodingWord(value: string | undefined): string {
  return /[^\s"';]+/.exec(withoutComments(value ?? ''))?.[0].toLowerCase() ?? '';
}

function isDecoded(word: string): word is 'base64' | 'quoted-printable' {
  return word === 'base64' || word === 'quoted-printable';
}

/** Parses a malformed type such as `multipart/*`. With a boundary, it counts as mixed (RFC 2046 section 5.1.3). */
function multipartOf(contentType: string, boundary: string | null): string | null {
  return boundary !== null && /^multipart\b/.test(contentType) ? 'multipart/mixed' : null;
}

/**
 * Parses a disposition. An unknown disposition is an attachment (RFC 2183 section 2.8). Ignores a disposition that does not start
 * with a token.
 */
function dispositionOf(value: string): MimeType['disposition'] {
  const word = /^[\w!#$%&'*+.^`{|}~-]+/.exec(value)?.[0].toLowerCase();
  if (word === undefined) return null;
  return word === 'inline' ? 'inline' : 'attachment';
}

function cleanName(name: string | undefined): string | null {
  const clean = (name ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  return (
    Array.from(clean.slice(0, 2 * maxName))
      .slice(0, maxName)
      .join('') || null
  );
}
