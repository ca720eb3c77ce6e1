import { domainToUnicode } from 'node:url';
import { isAscii } from '#core/ascii.ts';
import { limits } from '#core/limits.ts';
import type { NamedAddress, SearchTexts } from '#core/messages/content.ts';

/** Maximum length of a piece that is folded at a time: millions of replacements in one string need a lot of heap. */
const pieceCharacters = 65_536;

/**
 * Fields that `q` searches. `recipients` come only from the header, because not all owners of an email may see its envelope. `text` is
 * everything that a reader sees.
 */
type SearchedFields = {
  subject: string;
  from: NamedAddress | null;
  recipients: NamedAddress[];
  text: string;
};

/**
 * Folds text for comparison: lower case, no accents, compatibility characters replaced (`ﬁ` is `fi`), and one space for each run of white
 * space.
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

/** Folds the fields. Folded text contains no line break, so no phrase can match across two people. */
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
 * Returns one owner's recipients that the header may lack: envelope recipients, such as blind copies, and the address without its tag.
 * They are folded, one per line.
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
 * Returns the strings to search for in a partial match. Fields stored before 0.3.0 were folded with their accents, so they contain the
 * value as typed (`typed`). An address with A-labels also occurs with U-labels (RFC 6532).
 */
export function needlesOf(part: string, typed: string): string[] {
  const accented = typed.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();
  const needles = [part, isAscii(accented) ? part : accented, withUnicodeDomain(part)];
  return [...new Set(needles)];
}

/** Converts an address's domain to U-labels (RFC 5890) and folds the address. Returns any other string unchanged. */
function withUnicodeDomain(text: string): string {
  const [, local, domain = ''] = /^([^\s@]*@)([^\s@]*xn--[^\s@]+)$/.exec(text) ?? [];
  const name = domainToUnicode(domain);
  return local === undefined || name === '' ? text : foldText(local + name);
}

/** Run of more combining marks than any script uses. Normalization takes quadratic time in their number (UAX #15). */
const markRun = new RegExp(`(\\p{M}{${limits.mail.markRun}})\\p{M}+`, 'gu');
/**
 * Run of characters in the range that contains all such marks, at least as long as a mark run. Few emails contain one, so this check
 * avoids the slower pattern.
 */
const mayBeRun = new RegExp(`[\\u0300-\\uffff]{${limits.mail.markRun}}`);

/** Accents and other marks that combine with European letters. */
const accents = /[\u0300-\u036f]/gu;

function foldPiece(text: string): string {
  return withOneSpace(withoutAccents(text));
}

/** Replaces each run of white space with one space. Does not touch single spaces, which most runs are. */
function withOneSpace(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/gu, ' ');
}

function withoutAccents(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // Lower-casing may add marks, and decomposed Hangul would take three times the space.
  const bounded = mayBeRun.test(text) ? text.replace(markRun, '$1') : text;
  const apart = bounded.normalize('NFKD').toLowerCase();
  return apart.replace(accents, '').normalize('NFC');
}

/** Returns the first position at or after `from`, within a piece's length, at which no character is split. */
function cutAfter(text: string, from: number): number {
  if (from >= text.length) return text.length;
  const space = text.slice(from, from + pieceCharacters).search(/\s/u);
  if (space >= 0) return from + space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}

const introLength = 140;

/** Returns the first 140 code points of a string, with each run of white space as one space. */
export function intro(text: string): string {
  const few = folded(text, 2 * introLength);
  // If the text contains more white space than this, the intro is shorter than necessary.
  const first = firstPoints(few, introLength);
  return (first === few ? firstPoints(folded(text, 32 * introLength), introLength) : first).trimEnd();
}

/** Returns a string's first UTF-16 units without half of a pair, with each run of white space as one space. */
const folded = (text: string, units: number) =>
  withOneSpace(text.slice(0, units).replace(/[\uD800-\uDBFF]$/, '')).trim();

/** Returns the string's first code points. */
function firstPoints(text: string, count: number): string {
  let end = 0;
  for (let point = 0; point < count && end < text.length; point++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
