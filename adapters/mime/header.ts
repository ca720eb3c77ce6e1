import { isUtf8 } from 'node:buffer';
import { type LimitName, limits } from '#core/limits.ts';

/** A header field: its name as spelled, its value unfolded, encoded words left as they are. */
export type HeaderField = { name: string; value: string };

const maxFields = limits.answers.headerFields;
const maxField = limits.mail.headerFieldBytes;

/**
 * Collects the fields of one header section (RFC 5322 section 2.2): up to 1,000, of each the first 64 KiB, and
 * `maxOctets` in all. The part of a field beyond its limit does not count against the others.
 */
export class MimeHeader {
  /** Limit that left something out. */
  limit: LimitName | null = null;
  /** True if the section has octets above 127. */
  eightBit = false;
  #left: number;
  #fields: { name: string; lines: string[]; eightBit: boolean; left: number }[] = [];
  /** True while the current line and its continuations belong to a field that is kept. */
  #taking = false;

  constructor(maxOctets: number) {
    this.#left = maxOctets;
  }

  /** Takes one line, or a piece of one, without its ending. */
  line(buffer: Buffer, start: number, end: number, continued: boolean, eightBit: boolean): void {
    if (eightBit) this.eightBit = true;
    const folded = continued || buffer[start] === 0x20 || buffer[start] === 0x09;
    const field = folded ? this.#fields.at(-1) : undefined;
    if (folded && (!this.#taking || field === undefined)) return;
    const length = Math.min(end - start, this.#left, field?.left ?? maxField);
    if (length < end - start) this.limit = length < this.#left ? 'mail.headerFieldBytes' : 'mail.headerBytes';
    if (length === 0) return;
    const text = buffer.toString('latin1', start, start + length);
    this.#left -= length;
    if (field === undefined) {
      this.#begin(text, eightBit);
      return;
    }
    field.left -= length;
    field.lines.push(continued ? text : ` ${trimBlanks(text)}`);
    field.eightBit ||= eightBit;
  }

  fields(): HeaderField[] {
    return this.#fields.map(({ name, lines, eightBit }) => {
      const value = lines.length === 1 ? (lines[0] ?? '') : lines.join('');
      return { name, value: eightBit ? decodeOctets(value) : value };
    });
  }

  #begin(text: string, eightBit: boolean): void {
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0)).trimEnd();
    // A line that is no field, such as the "From " line of an mbox file, is skipped with its continuations.
    this.#taking = /^[!-9;-~\x80-\xff]{1,200}$/.test(name) && this.#fields.length < maxFields;
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

/** Removes blanks at both ends. `trim` would remove 0xA0, which may be the last octet of a character. */
function trimBlanks(octets: string): string {
  let start = 0;
  let end = octets.length;
  while (start < end && ' \t\r'.includes(octets.charAt(start))) start += 1;
  while (end > start && ' \t\r'.includes(octets.charAt(end - 1))) end -= 1;
  return octets.slice(start, end);
}

/** Decodes octets as UTF-8 (RFC 6532) or, where they are not UTF-8, as windows-1252. */
function decodeOctets(latin1: string): string {
  const octets = Buffer.from(latin1, 'latin1');
  return isUtf8(octets) ? octets.toString('utf8') : new TextDecoder('windows-1252').decode(octets);
}
