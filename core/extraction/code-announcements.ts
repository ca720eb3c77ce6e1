import type { Line } from './code-lines.ts';
import { isBareCode } from './code-names.ts';
import type { Announcement, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';

/** Maximum number of words between a code and the word that announces it. */
export const reach = 8;

/** Finds the announcement before a word: `code 123456`, `code for Acme is 123456`. `linked`: a colon or verb is in between. */
export function behindAnnouncement(line: Line, place: number): { by: Announcement; linked: boolean } | null {
  const { tokens } = line;
  const digits = tokens[place]?.shape === 'digits' || tokens[place]?.shape === 'date';
  let linked = false;
  let to = false;
  let at = place - 1;
  for (; at >= Math.max(0, place - 1 - reach); at -= 1) {
    const token = tokens[at];
    if (token === undefined || tokens[at + 1]?.breaks) return null;
    linked ||= tokens[at + 1]?.colon ?? false;
    const by = line.announcement(at);
    if (by !== undefined && (!to || isPolish(token))) return { by, linked };
    if (by !== undefined) return null;
    if (token.word === 'to') to = true;
    else if (token.kinds & kind.link) linked = true;
    else if (!(token.kinds & (digits ? kind.filler | kind.secure | kind.numeral : kind.secure))) break;
  }
  const [last, token] = [tokens[place - 1], tokens[place]];
  const verb = token?.colon || (last !== undefined && last.kinds & kind.link && last.word !== 'to');
  if (!verb) return null;
  for (; at >= Math.max(0, place - 1 - 2 * reach); at -= 1) {
    const by = line.announcement(at);
    if (tokens[at + 1]?.breaks) return null;
    if (by !== undefined) return by.strength === 'weak' ? null : { by, linked: true };
    if (tokens[at]?.shape === 'digits' && !line.isNamed(at)) return null;
  }
  return null;
}

/** Checks for an announcement in Polish, where `to` means `is`. */
function isPolish({ word }: Token): boolean {
  return /^(?:kod|has)/.test(word);
}

/** Finds an announcement after a word: `123456 is your Acme code`, `123456 code`. */
export function beforeAnnouncement(line: Line, place: number): { by: Announcement; linked: boolean } | null {
  const { tokens } = line;
  const next = tokens[place + 1];
  // `K4T9WZ - your Acme login code`
  const titled = place === 0 && next?.colon === true && (next.kinds & kind.filler) !== 0;
  const linked = next !== undefined && (titled || (!next.colon && (next.kinds & kind.link) !== 0));
  for (let at = place + 1; at <= place + 1 + reach; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.breaks) return null;
    const by = line.announcement(at);
    if (by !== undefined) {
      // `Trading212: your code is 482913`
      const behind = tokens[at + 1]?.kinds === kind.link ? tokens[at + 2] : tokens[at + 1];
      if (titled && behind?.shape) return null;
      return { by, linked: linked && (next.word !== 'to' || isPolish(token)) };
    }
    if (token.shape === 'digits') return null;
    const plain = (token.kinds & (kind.filler | kind.secure | kind.link)) !== 0;
    if (!plain && (!linked || (token.kinds & kind.named && tokens[at + 1]?.kinds === kind.numeral)))
      return null;
  }
  return null;
}

/** Finds a sentence's first announcement within reach of a word, unless a number in between may be the announced code. */
export function announcementNear(line: Line, place: number, step: 1 | -1): Announcement | null {
  const { tokens } = line;
  let found: Announcement | null = null;
  let broken = false;
  let words = 0;
  for (let distance = 1; distance <= 3 * reach + 1 && words < reach; distance += 1) {
    const at = place + step * distance;
    const token = tokens[at];
    broken ||= tokens[step === 1 ? at : at + 1]?.breaks ?? false;
    if (token === undefined || (broken && (step === -1 || distance > 1))) break;
    const by = line.announcement(at);
    // `109799 lines of code` does not announce a code.
    const bare = step === 1 && by?.strength === 'plain' && isBareCode(tokens, at);
    if (by !== undefined && by.strength !== 'weak' && !bare) {
      found = by;
      if (step === 1) break;
    }
    if (token.shape === 'digits' && !line.isNamed(at)) break;
    if (/\p{L}/u.test(token.word)) words += 1;
  }
  return found;
}
