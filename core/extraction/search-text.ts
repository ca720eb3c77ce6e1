import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';

/** Longest piece that is folded at once: a pattern replaced millions of times in one string needs a lot of heap. */
const PIECE = 65_536;

/**
 * What `q` looks in: `recipients` are those of the header, never of the envelope, which not all owners of the mail may see.
 * `text` is the text body, or what stands for one.
 */
export type SearchFields = {
  subject: string;
  from: NamedAddress | null;
  recipients: NamedAddress[];
  text: string | null;
};

/** NFC, lower case, each run of white space one space: two texts that a reader calls the same fold alike. */
export function foldText(text: string): string {
  if (text.length <= PIECE) return foldPiece(text).trim();
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = cutAfter(text, start + PIECE);
    const piece = foldPiece(text.slice(start, end));
    pieces.push(piece.startsWith(' ') && pieces.at(-1)?.endsWith(' ') ? piece.slice(1) : piece);
    start = end;
  }
  return pieces.join('').trim();
}

/** The folded fields, one a line: as folding leaves no line break, no phrase crosses from one field to the next. */
export function searchText({ subject, from, recipients, text }: SearchFields): string {
  const people = from === null ? recipients : [from, ...recipients];
  return [foldText(subject), ...peopleLines(people), foldText(text ?? '')].join('\n');
}

/** The lines of a search text before the last, and the last one: that of the text, UTF-8 as the whole is. */
export function searchLines(whole: string | Uint8Array<ArrayBuffer>): {
  lines: string[];
  text: string | Uint8Array<ArrayBuffer>;
} {
  if (typeof whole === 'string') {
    const last = whole.lastIndexOf('\n');
    return last < 0
      ? { lines: [whole], text: '' }
      : { lines: whole.slice(0, last).split('\n'), text: whole.slice(last + 1) };
  }
  const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.length);
  const last = bytes.lastIndexOf(0x0a);
  return last < 0
    ? { lines: [bytes.toString()], text: '' }
    : { lines: bytes.toString('utf8', 0, last).split('\n'), text: whole.subarray(last + 1) };
}

/** The folded line of each person. */
export function peopleLines(people: NamedAddress[]): string[] {
  return people.map(({ name, address }) => foldText(`${name} ${address}`));
}

/**
 * By what a message is found among its owner's recipients beside those of its header: whom it was written to (a blind
 * copy's header does not say), and the address without its tag. Folded, one a line.
 */
export function envelopeText(target: {
  envelope: { rcptTo: string[] };
  deliveredTo: string;
  tag: string | null;
}): string {
  const { envelope, deliveredTo, tag } = target;
  const at = deliveredTo.lastIndexOf('@');
  const untagged =
    tag === null ? deliveredTo : deliveredTo.slice(0, at - tag.length - 1) + deliveredTo.slice(at);
  return [...new Set([...envelope.rcptTo, deliveredTo, untagged].map(foldText))].join('\n');
}

/** The words of a query, folded: what white space separates, a "quoted phrase" as one word. */
export function searchWords(query: string): string[] {
  const words = Array.from(query.matchAll(/"([^"]*)"|(\S+)/gu), ([, phrase, word]) => phrase ?? word ?? '');
  return words.map((word) => foldText(word.replaceAll('"', ''))).filter((word) => word !== '');
}

/** A character with more combining marks than any script has: normalizing takes quadratic time in their number (UAX #15). */
const markRun = new RegExp(`(\\p{M}{${limits.mail.markRun}})\\p{M}+`, 'gu');

function foldPiece(text: string): string {
  return text.replace(markRun, '$1').normalize('NFC').toLowerCase().replace(/\s+/gu, ' ');
}

/** The first place from `from` on, within a piece's length, where no character can be torn apart. */
function cutAfter(text: string, from: number): number {
  if (from >= text.length) return text.length;
  const space = text.slice(from, from + PIECE).search(/\s/u);
  if (space >= 0) return from + space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}
