import { isYear } from './code-letters.ts';
import type { Line } from './code-lines.ts';
import type { Announcement, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';

/** Maximum number of words of a sentence to look through. */
const longest = 16;

/** Words for what became of a code that the reader typed: `Your code was accepted. The number is …`. */
const answers = new Set(
  `accepted redeemed rejected akzeptiert angenommen eingelöst abgelehnt accepté refusé aceptado rechazado aceito aceite recusado accettato rifiutato geaccepteerd geweigerd zaakceptowany
  odrzucony принят отклонен прийнято`.split(/\s+/),
);

/** Returns the position of the first word of a word's sentence, or of a word before which the sentence is too long. */
function startOf({ tokens }: Line, place: number): number {
  let start = place;
  while (start > Math.max(0, place - longest) && !tokens[start]?.breaks) start -= 1;
  return start;
}

/** Finds the last announcement in the sentence before a word's sentence, unless a number after it may be the announced code. */
export function announcedBefore(line: Line, place: number): Announcement | null {
  const start = startOf(line, place);
  if (!line.tokens[start]?.breaks) return null;
  for (let at = start - 1; at >= Math.max(0, startOf(line, start - 1)); at -= 1) {
    const by = line.announcement(at);
    if (by !== undefined) return by.strength === 'weak' ? null : by;
    if (line.tokens[at]?.shape === 'digits' || answers.has(line.tokens[at]?.word ?? '')) return null;
  }
  return null;
}

/**
 * Finds what announces a code that is a sentence, or the end of a sentence of a few words, after the one that names it:
 * `Here is your code. 482913`, `We made a code for you. The number is 482913`.
 */
export function behindSentence(line: Line, place: number, above: Line | undefined, subject: Line) {
  const [last, token] = [line.tokens[place - 1], line.tokens[place]];
  if (isYear(token) || (token?.shape !== 'digits' && token?.shape !== 'mixed')) return null;
  const start = startOf(line, place);
  const isLinked = ((last?.kinds ?? 0) & kind.link) !== 0 && isSubject(line, start, place - 1);
  if (!isLinked && (start < place || !isSentence(line, place))) return null;
  const by = announcedBefore(line, place);
  if (by !== null) return { by, on: line };
  const on = above?.isAnnouncing ? above : subject;
  return isLinked && start === 0 && on.isAnnouncing ? { by: on.announcements.at(-1) ?? null, on } : null;
}

/** Checks for a single word, or for up to three words that stand for a code: `It`, `The number`. */
function isSubject({ tokens }: Line, from: number, to: number): boolean {
  const standsForCode = ({ kinds }: Token) => (kinds & (kind.filler | kind.numeral)) !== 0;
  return to - from <= 1 || (to - from <= 3 && tokens.slice(from, to).every(standsForCode));
}

/**
 * Checks for a first word that is a sentence of its own, even without a period: `482913 It expires`. The number in `4821 lines` is a
 * quantity, and the one in `1600 Amphitheatre Parkway` is part of an address.
 */
function isSentence({ tokens }: Line, place: number): boolean {
  const [token, next, last] = [0, 1, 2].map((step) => tokens[place + step]);
  if (next === undefined || next.breaks) return true;
  const isNumber = token?.shape === 'digits';
  if (next.apart) return isNumber;
  if (/^\p{Ll}/u.test(next.value)) return isNumber && (next.kinds & kind.link) !== 0;
  const isName = [next, last].every((word) => word && !word.breaks && /^\p{Lu}/u.test(word.value));
  return next.kinds !== 0 || (isNumber && !isName);
}

/** Checks for a line that begins with a quantity or an address, below a line that ends a sentence. */
export function isNoSentenceBelow(above: Line, line: Line | undefined): boolean {
  return line !== undefined && /[.!]\s*$/.test(above.text.slice(-8)) && !isSentence(line, 0);
}

/** Checks for a short line that ends with a word that names a number. */
export function endsWithName(line: Line): boolean {
  const last = line.tokens.at(-1);
  return last !== undefined && (last.kinds & (kind.named | kind.numeral)) !== 0 && line.tokens.length <= 5;
}
