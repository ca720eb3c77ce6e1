import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import libmime from 'libmime';
import { decode } from 'libmime/lib/charset.js';
import { type BodyDecoder, bodyDecoder } from '#core/messages/attachment-body.ts';
import type { LeafSink, ScannedPart } from './scan.ts';

/** Characters of a flowed text that is unwrapped, which takes an object a line. Longer texts keep their lines. */
const maxFlowed = 1_048_576;
/** Bytes that are buffered to detect the charset. A longer text is decoded as it arrives. */
const maxWaiting = 262_144;

const CR = 0x0d;
const LF = 0x0a;
const wide = /^(utf|ucs)-?(16|32|2|4)/i;
const utf8OrNone = /^(utf-?8|us-ascii|ascii)?$/i;

/** Collects a text body. `text()` returns it after the end: decoded, unwrapped (RFC 3676), lines ended by LF. */
export class TextBody implements LeafSink {
  readonly #part: ScannedPart;
  readonly #charset: string;
  readonly #wide: boolean;
  readonly #body: BodyDecoder;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #characters: TextDecoder | null = null;
  #texts: string[] = [];
  #afterCr = false;

  constructor(part: ScannedPart) {
    this.#part = part;
    this.#charset = part.charset ?? '';
    this.#wide = wide.test(this.#charset);
    this.#body = bodyDecoder(part.encoding);
  }

  write(bytes: Uint8Array): void {
    this.#add(this.#body.push(bytes));
  }

  end(): void {
    this.#add(this.#body.end());
  }

  text(): string {
    const rest = Buffer.concat(this.#waiting);
    if (this.#characters === null) this.#texts.push(decodeText(rest, this.#charset));
    else this.#texts.push(this.#characters.decode());
    const text = this.#texts.join('');
    this.#texts = [];
    this.#waiting = [];
    if (this.#wide) return text.replaceAll('\r\n', '\n');
    if (!this.#part.flowed || this.#part.contentType !== 'text/plain') return text;
    return text.length > maxFlowed ? text : libmime.decodeFlowed(text, this.#part.delSp);
  }

  #add(decoded: Uint8Array): void {
    if (decoded.length === 0) return;
    const bytes = this.#wide ? decoded : this.#withLf(decoded);
    if (this.#characters !== null) {
      this.#texts.push(this.#characters.decode(bytes, { stream: true }));
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes <= maxWaiting) return;
    const waiting = Buffer.concat(this.#waiting);
    this.#characters = decoderOf(charsetOf(waiting, this.#charset));
    if (this.#characters === null) {
      // libmime alone knows the charset, and decodes whole texts only.
      this.#waitingBytes = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#texts.push(this.#characters.decode(waiting, { stream: true }));
    this.#waiting = [];
  }

  /** Replaces each CRLF and CR by an LF. Works on octets: a pattern on the text would create an object a line. */
  #withLf(bytes: Uint8Array): Uint8Array {
    const kept = new Uint8Array(bytes.length);
    let length = 0;
    let afterCr = this.#afterCr;
    for (let at = 0; at < bytes.length; at++) {
      const octet = bytes[at] as number;
      if (octet !== LF || !afterCr) kept[length++] = octet === CR ? LF : octet;
      afterCr = octet === CR;
    }
    this.#afterCr = afterCr;
    return kept.subarray(0, length);
  }
}

function decodeText(bytes: Buffer, declared: string): string {
  const charset = charsetOf(bytes, declared);
  if (charset !== 'utf-8') return decoderOf(charset)?.decode(bytes) ?? decode(bytes, charset);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}

/** Charset of a text. Without a declared one, or with ASCII declared: UTF-8 where the octets allow it, else windows-1252. */
function charsetOf(bytes: Buffer, declared: string): string {
  if (!utf8OrNone.test(declared)) return declared;
  if (declared.toLowerCase().startsWith('utf')) return 'utf-8';
  // The buffered bytes may end within a character.
  const end = bytes.length > maxWaiting ? bytes.lastIndexOf(LF) + 1 || bytes.length - 4 : bytes.length;
  return isUtf8(bytes.subarray(0, end)) ? 'utf-8' : 'windows-1252';
}

/** Node's decoder, faster than libmime's. Null for names that libmime alone knows, and for UTF-16 and UTF-32. */
function decoderOf(charset: string): TextDecoder | null {
  if (wide.test(charset)) return null;
  for (const label of [charset, libmime.normalizeCharset(charset)]) {
    try {
      return new TextDecoder(label);
    } catch {
      // RangeError: no name of the encoding standard.
    }
  }
  return null;
}
