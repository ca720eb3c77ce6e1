import { domainToUnicode } from 'node:url';
import { limits } from '#core/limits.ts';
import type { NamedAddress, SearchTexts } from '#core/messages/content.ts';

/** Longest piece that is folded at once: millions of replacements in one string need a lot of heap. */
const pieceCharacters = 65_536;

/**
 * Fields that `q` searches. `recipients` are those of the header: not all owners of a mail may see its envelope. `text` is
 * all that a reader sees.
 */
type SearchedFields = {
  subject: string;
  from: NamedAddress | null;
  recipients: NamedAddress[];
  text: string;
};

/**
 * Folds a text for comparison: lower case, without accents, compatible characters as one (`ﬁ` is `fi`), each run of white space
 * one space.
 */
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

/** Folds the fields. Folded text has no line break, so that no phrase crosses two people. */
export function searchTexts({ subject, from, recipients, text }: SearchedFields): SearchTexts {
  const person = ({ name, address }: NamedAddress) => foldText(`${name} ${address}`);
  return {
    subject: foldText(subject),
    sender: from && person(from),
    recipients: recipients.map(person).join('\n'),
    text: foldText(text),
  };
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

/**
 * Texts to look for where a part is wanted. Stores have texts from before 0.3.0 that were folded with their accents: such a text has
 * a part as it was `typed`. An address with A-labels is written with U-labels too (RFC 6532).
 */
export function needlesOf(part: string, typed: string): string[] {
  const accented = typed.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();
  const needles = [part, isAscii.test(accented) ? part : accented, withUnicodeDomain(part)];
  return [...new Set(needles)];
}

/** Spells the domain of an address with U-labels (RFC 5890), and folds it. Returns any other text as it is. */
function withUnicodeDomain(text: string): string {
  const [, local, domain = ''] = /^([^\s@]*@)([^\s@]*xn--[^\s@]+)$/.exec(text) ?? [];
  const name = domainToUnicode(domain);
  return local === undefined || name === '' ? text : foldText(local + name);
}

/** A run of more combining marks than any script uses: normalizing takes quadratic time in their number (UAX #15). */
const markRun = new RegExp(`(\\p{M}{${limits.mail.markRun}})\\p{M}+`, 'gu');
/** Signs of which each mark is made, as many as a run has at least. Few texts have so many in a row. */
const mayBeRun = new RegExp(`[\\u0300-\\uffff]{${limits.mail.markRun}}`);

/** Accents and other marks that combine with letters of European scripts. */
const accents = /[\u0300-\u036f]/gu;

function foldPiece(text: string): string {
  return withOneSpace(withoutAccents(text));
}

/** Makes one space of each run of white space. One that is a space already is not replaced, as most are. */
function withOneSpace(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/gu, ' ');
}

function withoutAccents(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  // Lower case may add marks, and decomposed Hangul would take three times the space.
  const bounded = mayBeRun.test(text) ? text.replace(markRun, '$1') : text;
  const apart = bounded.normalize('NFKD').toLowerCase();
  return apart.replace(accents, '').normalize('NFC');
}

const isAscii = /^[\0-\x7f]*$/;

/** Finds the first place from `from` on, within a piece's length, that is not within a character. */
function cutAfter(text: string, from: number): number {
  if (from >= text.length) return text.length;
  const space = text.slice(from, from + pieceCharacters).search(/\s/u);
  if (space >= 0) return from + space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}

const introLength = 140;

/** Returns the first 140 UTF-16 units of a text, with white space folded. A surrogate pair is never split. */
export function intro(text: string): string {
  const few = withOneSpace(text.slice(0, 2 * introLength)).trim();
  // More white space than this makes the intro shorter than it could be.
  const folded = few.length < introLength ? withOneSpace(text.slice(0, 16 * introLength)).trim() : few;
  const cut = folded.slice(0, introLength);
  return (/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut).trimEnd();
}
