import { isYear } from './code-letters.ts';
import type { Line } from './code-lines.ts';
import type { Announcement } from './code-token.ts';
import { kind } from './code-vocabulary.ts';

/** Maximum number of words of a sentence to look through. */
const longest = 16;

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
    if (line.tokens[at]?.shape === 'digits') return null;
  }
  return null;
}

/**
 * Finds what announces a code that is a sentence, or the end of a sentence of up to three words, after the one that names it:
 * `Here is your code. 482913`, `We made a code for you. It is 482913`.
 */
export function behindSentence(line: Line, place: number, above: Line | undefined) {
  const [last, token, next] = [-1, 0, 1].map((step) => line.tokens[place + step]);
  if (isYear(token) || (token?.shape !== 'digits' && token?.shape !== 'mixed')) return null;
  const start = startOf(line, place);
  const isLinked = place - start <= 2 && ((last?.kinds ?? 0) & kind.link) !== 0;
  if (!isLinked && (start < place || (next !== undefined && !next.breaks))) return null;
  const by = announcedBefore(line, place);
  if (by !== null) return { by, on: line };
  return isLinked && start === 0 && above?.isAnnouncing
    ? { by: above.announcements.at(-1) ?? null, on: above }
    : null;
}

/** Checks for a short line that ends with a word that names a number. */
export function endsWithName(line: Line): boolean {
  const last = line.tokens.at(-1);
  return last !== undefined && (last.kinds & (kind.named | kind.numeral)) !== 0 && line.tokens.length <= 5;
}
