import type { Code } from '#core/messages/content.ts';
import {
  announcesCode,
  isFiller,
  isUnit,
  mayAnnounceCode,
  namesNumber,
  type Token,
  tokensOf,
} from './code-words.ts';

/** Texts to search for codes; `html` is the visible text of the HTML body. */
export type CodeSources = {
  otpToken: string | null;
  subject: string;
  text: string | null;
  html: string | null;
};

const maxText = 262_144;
const maxLine = 2000;
const maxCodes = 20;
/** Words that may separate a code from the word that announces it. */
const reach = 8;

type FoundCode = { value: string; certain: boolean };

/**
 * Finds the one-time codes of a message: in its OTP-Token field, its subject and its text, or its HTML where there is no
 * text. Codes right beside an announcing word exclude those that are only near one.
 */
export function findCodes({ otpToken, subject, text, html }: CodeSources): Code[] {
  const body = text !== null && text.trim() !== '' ? text : (html ?? '');
  const found: (FoundCode & { source: Code['source'] })[] = [
    ...codesOf(subject).map((code) => ({ ...code, source: 'subject' as const })),
    ...codesOf(body).map((code) => ({
      ...code,
      source: body === text ? ('text' as const) : ('html' as const),
    })),
  ];
  if (otpToken !== null) found.unshift({ value: otpToken, certain: true, source: 'header' });
  const certain = found.some((code) => code.certain);
  const codes = new Map<string, Code>();
  for (const code of found) {
    if (certain && !code.certain) continue;
    if (!codes.has(code.value)) codes.set(code.value, { value: code.value, source: code.source });
  }
  return [...codes.values()].slice(0, maxCodes);
}

function codesOf(whole: string): FoundCode[] {
  const text = whole.slice(0, maxText);
  if (!mayAnnounceCode(text)) return [];
  const lines = text
    .split(/[\r\n]+/)
    .filter((line) => /\S/.test(line))
    .flatMap(cutLine)
    .map((line) => new Line(line));
  const found: FoundCode[] = [];
  for (const [at, line] of lines.entries()) {
    const [twoAbove, above, below] = [lines[at - 2], lines[at - 1], lines[at + 1]];
    const announced = [line, above, twoAbove, below].some((near) => near?.mayAnnounce);
    if (!announced || !line.mayContain) continue;
    for (const [place, token] of line.tokens.entries()) {
      if (found.length >= maxCodes) return found;
      const code = judge(token, place, line, [above, twoAbove, below]);
      if (code !== null) found.push(code);
    }
  }
  return found;
}

function cutLine(line: string): string[] {
  const count = Math.ceil(line.length / maxLine);
  return count === 1
    ? [line]
    : Array.from({ length: count }, (_, at) => line.slice(at * maxLine, (at + 1) * maxLine));
}

/** A line of text, split into words on demand: most lines neither announce nor contain a code. */
class Line {
  readonly mayAnnounce: boolean;
  readonly mayContain: boolean;
  readonly #text: string;
  #tokens: Token[] | null = null;
  #announcements: number[] | null = null;

  constructor(text: string) {
    this.#text = text;
    this.mayAnnounce = mayAnnounceCode(text);
    this.mayContain = /[0-9]|[A-Z]{4}/.test(text);
  }

  get tokens(): Token[] {
    // Numbers in URLs and addresses are no codes. Blanks of the same length keep the places of other words.
    this.#tokens ??= tokensOf(
      this.#text.replace(/(?:https?:\/\/|www\.|mailto:)\S*/gi, (url) => ' '.repeat(url.length)),
    );
    return this.#tokens;
  }

  /** Indexes of the tokens that announce a code. */
  get announcements(): number[] {
    if (!this.mayAnnounce) return [];
    this.#announcements ??= this.tokens.flatMap(({ word }, at, tokens) =>
      announcesCode(word, tokens[at - 1]?.word ?? '', tokens[at + 1]?.word ?? '') ? [at] : [],
    );
    return this.#announcements;
  }
}

function judge(token: Token, place: number, line: Line, neighbours: (Line | undefined)[]): FoundCode | null {
  if (token.shape === null || line.announcements.includes(place)) return null;
  const before = line.tokens[place - 1]?.word ?? '';
  if (isUnit(line.tokens[place + 1]?.word ?? '') || isPostal(token, line.tokens[place - 1])) return null;
  const alone = line.tokens.length === 1;
  const certain = isBeside(line, place) || (alone && neighbours.some(isAnnounced));
  if (certain) return { value: token.value, certain };
  // A code apart from its announcement must not look like another kind of number.
  if (token.shape !== 'digits' || isYear(token.value) || namesNumber(before)) return null;
  if (
    ['number', 'no', 'nr', 'nummer', 'id'].includes(before) ||
    namesNumber(line.tokens[place - 2]?.word ?? '')
  )
    return null;
  const near = line.announcements.some((at) => isNear(line, at, place));
  return near ? { value: token.value, certain: false } : null;
}

/** Tests for an announcement before the token (`code is: …`) or behind it (`… is your … code`), across fillers only. */
function isBeside(line: Line, place: number): boolean {
  for (const at of line.announcements) {
    if (Math.abs(at - place) > reach) continue;
    const between = line.tokens.slice(Math.min(at, place) + 1, Math.max(at, place)).map(({ word }) => word);
    if (
      at < place &&
      between.every((word, index) => isFiller(word) || line.announcements.includes(at + 1 + index))
    )
      return true;
    const first = between[0] ?? '';
    const links = between.length === 0 || /^(is|as|est|ist|es|è|é|är|er|jest|это|-)$/.test(first);
    if (at > place && links && !between.some(namesNumber)) return true;
  }
  return false;
}

/** Tests for an announcement few words away, with no other possible code between. */
function isNear(line: Line, at: number, place: number): boolean {
  if (Math.abs(at - place) > 3 * reach) return false;
  const between = line.tokens.slice(Math.min(at, place) + 1, Math.max(at, place));
  return (
    between.filter(({ word }) => /\p{L}/u.test(word)).length < reach &&
    !between.some(({ shape }) => shape === 'digits')
  );
}

/** Tests for a line that announces a code and contains none. */
function isAnnounced(line: Line | undefined): boolean {
  return (
    line !== undefined &&
    line.announcements.length > 0 &&
    !line.tokens.some(({ shape }) => shape === 'digits')
  );
}

function isYear(value: string): boolean {
  return /^(19|20)[0-9]{2}$/.test(value);
}

/** Tests for a US postal code behind its state, such as `CA 94105`. */
function isPostal(token: Token, before: Token | undefined): boolean {
  return /^[0-9]{5}$/.test(token.value) && before !== undefined && /^[A-Z]{2}$/.test(before.value);
}
