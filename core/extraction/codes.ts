import type { Code } from '#core/messages/content.ts';
import { isName } from './code-letters.ts';
import { Line, linesOf } from './code-lines.ts';
import { rank, rankOf } from './code-ranks.ts';
import { typeable } from './code-signs.ts';
import { mayNameCode } from './code-words.ts';

/** Texts to search for codes. `html` is the HTML body's visible text. */
export type CodeSources = {
  otpToken: string | null;
  subject: string;
  text: string | null;
  html: string | null;
};

const maxText = 262_144;
const maxCodes = 20;
/**
 * Maximum number of words to judge, and maximum number of characters of the lines to read. An email that announces a code contains few
 * words that look like codes.
 */
const maxJudged = 1000;
const maxRead = 32_768;

type Found = { value: string; source: Code['source']; rank: number };

/**
 * Finds a message's one-time codes in its OTP-Token field, its subject, its text and its HTML. If codes of different ranks are found,
 * only those of the highest rank count. Each value counts once.
 */
export function findCodes({ otpToken, subject, text, html }: CodeSources): Code[] {
  // `482913 | Your Acme code` counts as one sentence.
  const title = subject.slice(0, maxText).replaceAll(' | ', ' - ');
  const subjectLine = new Line(typeable(title).replace(/\s+/g, ' '));
  const found: Found[] = [
    ...codesOf('subject', title, subjectLine),
    ...codesOf('text', text, subjectLine),
    ...codesOf('html', html, subjectLine),
  ];
  if (otpToken !== null) found.unshift({ value: otpToken, source: 'header', rank: rank.certain });
  const best = found.reduce((most: number, code) => Math.max(most, code.rank), rank.none);
  const codes = new Map<string, Code>();
  for (const { value, source, rank: its } of found) {
    const key = value.replaceAll('-', '');
    if (its === best && !codes.has(key)) codes.set(key, { value, source });
  }
  return [...codes.values()].filter(({ value }) => !codes.has(withoutBrand(value))).slice(0, maxCodes);
}

/** Removes a brand's prefix from a code, as in `FB-64829`. If the text also contains the digits alone, users do not type the prefix. */
function withoutBrand(value: string): string {
  return /^[A-Z]{1,3}-([0-9]{4,8})$/.exec(value)?.[1] ?? '';
}

/** Encoded lines of OpenPGP signatures and keys (RFC 9580 section 6.2). */
const armor =
  /^-----BEGIN PGP (?:SIGNATURE|MESSAGE|PUBLIC KEY BLOCK)-----\r?$(?:\r?\n(?!-----(?:BEGIN|END)).*)*/gm;

/** Returns a text's codes that have the highest rank. */
function codesOf(source: Code['source'], whole: string | null, subject: Line): Found[] {
  const plain = (whole?.slice(0, maxText) ?? '').replace(armor, '');
  const text = typeable(plain).replace(/\bone time(?= pass)/gi, 'one-time');
  if (!subject.isAnnouncing && !mayNameCode(text.toLowerCase())) return [];
  const lines = linesOf(text, source === 'text');
  const around = { lines, at: 0, subject: source === 'subject' ? new Line('') : subject };
  let found: (Found & { at: number })[] = [];
  let best = rank.none;
  let [judged, read] = [0, 0];
  for (const [at, line] of lines.entries()) {
    if (!line.mayContain || !isNearAnnouncement(lines, at, around.subject.isAnnouncing)) continue;
    if (judged >= maxJudged || read >= maxRead) break;
    read += line.text.length;
    for (const [place, { value, shape }] of line.tokens.entries()) {
      if (shape === null) continue;
      judged += 1;
      const its = rankOf(place, { ...around, at });
      if (its === rank.none || its < best) continue;
      if (its > best) [found, best] = [[], its];
      if (found.length < maxCodes) found.push({ value, source, rank: its, at });
      else if (best === rank.certain) return found;
    }
  }
  return best === rank.letters || best === rank.lettersAlone
    ? found.filter((code) => !isName(code, lines))
    : found;
}

/** Checks cheaply whether a line is near an announcement, so its words may be codes. */
function isNearAnnouncement(lines: Line[], at: number, announced: boolean): boolean {
  const line = lines[at];
  if (line === undefined) return false;
  if (line.text.length < 80 && announced) return true;
  const first = line.text.length < 80 ? at - 8 : at - 2;
  for (let near = Math.min(at + 1, lines.length - 1); near >= Math.max(0, first); near -= 1) {
    if (lines[near]?.mayAnnounce) return true;
  }
  return line.mayAskForCode;
}
