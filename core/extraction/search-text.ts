import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';

/** Longest piece that is folded at once: millions of replacements in one string need a lot of heap. */
const pieceCharacters = 65_536;

/**
 * Fields that `q` searches. `recipients` are those of the header: not all owners of a mail may see its envelope. `text` is
 * the text body, or the visible text of the HTML.
 */
export type SearchFields = {
  subject: string;
  from: NamedAddress | null;
  recipients: NamedAddress[];
  text: string | null;
};

/** Folds a text for comparison: NFC, lower case, each run of white space one space. */
export function foldText(text: string): string {
  if (text.length <= pieceCharacters) return foldPiece(text).trim();
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = cutAfter(text, start + pieceCharacters);
    const piece = foldPiece(text.slice(start, end));
    pieces.push(piece.startsWith(' ') && pieces.at(-1)?.endsWith(' ') ? piece.slice(1) : piece);
    start = end;
  }
  return pieces.join('').trim();
}

/** Joins the folded fields, one a line. Folded text has no line break, so that no phrase crosses two fields. */
export function searchText({ subject, from, recipients, text }: SearchFields): string {
  const people = from === null ? recipients : [from, ...recipients];
  return [foldText(subject), ...peopleLines(people), foldText(text ?? '')].join('\n');
}

/** Splits a search text into the lines before the last, and the last one: the text, in the form of the whole. */
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

/** Folds each person into one line. */
function peopleLines(people: NamedAddress[]): string[] {
  return people.map(({ name, address }) => foldText(`${name} ${address}`));
}

/**
 * Recipients of one owner that the header may lack: those of the envelope, such as blind copies, and the address without
 * its tag. Folded, one a line.
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

/** Splits a query into words, folded and separated by white space. A "quoted phrase" is one word. */
export function searchWords(query: string): string[] {
  const words = Array.from(query.matchAll(/"([^"]*)"|(\S+)/gu), ([, phrase, word]) => phrase ?? word ?? '');
  return words.map((word) => foldText(word.replaceAll('"', ''))).filter((word) => word !== '');
}

/** A run of more combining marks than any script uses: normalizing takes quadratic time in their number (UAX #15). */
const markRun = new RegExp(`(\\p{M}{${limits.mail.markRun}})\\p{M}+`, 'gu');

function foldPiece(text: string): string {
  return text.replace(markRun, '$1').normalize('NFC').toLowerCase().replace(/\s+/gu, ' ');
}

/** Finds the first place from `from` on, within a piece's length, that is not within a character. */
function cutAfter(text: string, from: number): number {
  if (from >= text.length) return text.length;
  const space = text.slice(from, from + pieceCharacters).search(/\s/u);
  if (space >= 0) return from + space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}
