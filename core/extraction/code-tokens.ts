import type { Shape, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';
import { kindsOf, splitRun } from './code-words.ts';

const alphabetic = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}0-9]';
const wordPattern = new RegExp(
  `${alphabetic}[${alphabetic}\\p{M}]*(?:['’\\-]${alphabetic}[${alphabetic}\\p{M}]*)*|[[\\p{L}\\p{M}]--${alphabetic}]+`,
  'gv',
);
/** Scripts that are written without spaces between words. */
const unseparated =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Splits a line into words. Digit groups that form a code count as one word. */
export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  const push = (text: string, start: number, shape: Shape | null) => {
    const word = text.toLowerCase();
    const kinds = shape === 'digits' ? 0 : kindsOf(word);
    const gap = line.slice(Math.max(end, start - 40), start);
    const isPlain = gap === ' ' || gap === '' || (gap === '. ' && isNumbered(tokens.at(-1), text));
    const signs = isPlain ? noSigns : signsOf(gap, text);
    tokens.push({ word, value: text, shape, kinds, start, end: start + text.length, ...signs });
    end = start + text.length;
  };
  for (const match of line.matchAll(wordPattern)) {
    const [text] = match;
    const start = match.index;
    if (text > '\u0e00' && unseparated.test(text.charAt(0))) {
      for (const { word, at } of splitRun(text)) push(word, start + at, null);
      continue;
    }
    for (const { part, at } of partsOf(text)) {
      const from = start + at;
      const shape = shapeOf(part);
      push(part, from, shape !== null && touchesNumber(line, from, from + part.length) ? null : shape);
    }
  }
  return withoutYears(joinGroups(line, tokens)).map((token) =>
    token.shape === 'digits' || token.shape === 'date'
      ? { ...token, value: token.value.replace(/[^0-9]/g, '') }
      : token,
  );
}

/** Beginnings of months' names. */
const months =
  /^(?:jan|feb|fév|fev|mar|mär|apr|avr|abr|ma[iyjg]|jun|juin|jul|juil|giu|lug|aug|aoû|ago|sep|set|okt|oct|out|ott|nov|dez|dec|déc|dic|gen|ene|sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru|oca|şub|nis|haz|tem|ağu|eyl|eki|kas|ara|янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек|січ|лют|бер|кві|тра|чер|лип|сер|вер|жов|лис|гру)/;

/** Marks the years in dates, such as `3. März 2026` and `12 de marzo de 2026`, as words that are not codes and end no sentence. */
function withoutYears(tokens: Token[]): Token[] {
  for (const [at, year] of tokens.entries()) {
    if (year.shape !== 'digits' || !/^(?:19|20)[0-9]{2}$/.test(year.value)) continue;
    const [third, second, first] = [3, 2, 1].map((step) => tokens[at - step]);
    const month = [first, second].find((token) => token && months.test(token.word));
    const isDated = [third, second, first, tokens[at - 4]].some(
      (token) => token && /^[0-9]{1,2}$/.test(token.word),
    );
    if (month === undefined || !isDated) continue;
    year.shape = null;
    month.breaks = false;
  }
  return tokens;
}

const noSigns = { breaks: false, colon: false, apart: false };

/** Checks for a number after an abbreviation, as in `order No. 5501882`. The abbreviation's period does not end the sentence. */
function isNumbered(before: Token | undefined, text: string): boolean {
  if (before === undefined || !/^[0-9]/.test(text)) return false;
  return before.word.length <= 4 && (before.kinds & (kind.numeral | kind.named)) !== 0;
}

/** Reads the characters between a word and the word before it. */
function signsOf(gap: string, text: string): typeof noSigns {
  const ends = /[!?。！？।؟|•]|\.[)"”’\s]/.test(gap);
  return {
    // `Inc. is` does not end a sentence.
    breaks: ends && (!/^\p{Ll}/u.test(text) || /[|•]/.test(gap)),
    colon: /[:：=→»՝]|->|[-–—]\s*$/.test(gap),
    apart: /[^\s'"“”„«»‘’*_`[\]【】「」『』]/.test(gap),
  };
}

/** Separates a suffix from a number (`482913'tür`), and a number from the word that announces it (`code482913`). */
function partsOf(text: string): { part: string; at: number }[] {
  if (!/[0-9]/.test(text)) return [{ part: text, at: 0 }];
  const [, number, suffix] = /^([0-9]{3,10})(['’]\p{L}+)$/u.exec(text) ?? [];
  if (number !== undefined && suffix !== undefined)
    return [
      { part: number, at: 0 },
      { part: suffix, at: number.length },
    ];
  const [, word, code] = /^([A-Za-z]{2,20})-?([0-9]{4,8})$/.exec(text) ?? [];
  if (word === undefined || code === undefined || !(kindsOf(word.toLowerCase()) & kind.code))
    return [{ part: text, at: 0 }];
  return [
    { part: word, at: 0 },
    { part: code, at: text.length - code.length },
  ];
}

function shapeOf(text: string): Shape | null {
  if (text.length > 24 || !/[0-9]|[A-Z]{2}|[a-z][A-Z]|-/.test(text)) return null;
  const groups = text.split('-');
  if (/^[0-9]{4,10}$/.test(text) || isSpelled(groups)) return 'digits';
  if (isEvenlyGrouped(groups)) return isDayMonthYear(groups) ? 'date' : 'digits';
  if (/^(?:[X*]+-?[0-9]+|[0-9]+(?:AM|PM|ST|ND|RD|TH|GB|MB|KB|TB|MP|PX|KG|KM))$/.test(text)) return null;
  if (/^[A-Z]{1,3}-[0-9]{4,8}$/.test(text)) return 'mixed';
  const length = text.length - groups.length + 1;
  if (/^[A-Z0-9]{2,8}(?:-[A-Z0-9]{2,8}){0,3}$/.test(text) && /[A-Z]/.test(text)) {
    if (/[0-9]/.test(text)) return length >= 4 && length <= 16 ? 'mixed' : null;
    return length >= 4 && length <= 12 ? 'letters' : null;
  }
  const isLong = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{17,24}$/.test(text);
  if (!isLong && (!/^[A-Za-z0-9]{3,16}(?:-[A-Za-z0-9]{3,8}){0,3}$/.test(text) || length < 4 || length > 20))
    return null;
  if (!/[A-Za-z]/.test(text)) return null;
  if (/[0-9]/.test(text)) return isQuantity(text) ? null : 'anyCase';
  const even = groups.length >= 3 && groups.every((group) => group.length === groups[0]?.length);
  // Bounded: the text has at most 20 characters, as checked above.
  return even || (groups.length === 1 && /[a-z][A-Z].*[a-z][A-Z]/.test(text)) ? 'letters' : null;
}

/** Checks for a number written together with its unit, such as `24hours`. */
function isQuantity(text: string): boolean {
  const [, unit] = /^[0-9]+([A-Za-z]+)$/.exec(text) ?? [];
  return (
    unit !== undefined &&
    (/^(?:am|pm|st|nd|rd|th|h|x)$/i.test(unit) || (kindsOf(unit.toLowerCase()) & kind.unit) !== 0)
  );
}

function isSpelled(groups: string[]): boolean {
  return groups.length >= 4 && groups.length <= 10 && groups.every((group) => /^[0-9]$/.test(group));
}

/** Checks for two to four groups of equal length, of two to four digits each. */
function isEvenlyGrouped(groups: string[]): boolean {
  const length = groups[0]?.length ?? 0;
  if (groups.length < 2 || groups.length > 4 || length < 2 || length > 4) return false;
  if (!groups.every((group) => group.length === length && /^[0-9]+$/.test(group))) return false;
  return groups.length * length <= 10;
}

function isDayMonthYear(groups: string[]): boolean {
  const [first, second] = groups.map(Number);
  if (groups.length !== 3 || groups[0]?.length !== 2 || first === undefined || second === undefined)
    return false;
  return (first <= 31 && second <= 12) || (first <= 12 && second <= 31);
}

/**
 * Checks for a number that continues on the other side of punctuation (date, amount, time), or that has a sign next to it that rules out
 * a code.
 */
function touchesNumber(line: string, start: number, end: number): boolean {
  const before = line.slice(Math.max(0, start - 4), start);
  const behind = line.slice(end, end + 3);
  return (
    /[0-9][.,:/]$/.test(before) ||
    /^[.,:/][0-9]/.test(behind) ||
    /[\p{Sc}+#@/\\]\s?$/u.test(before) ||
    // `OTP=482913` of a bank is no parameter of a URL.
    (/[\p{L}0-9]_?[_.=&]$/u.test(before) && before !== 'OTP=') ||
    (/[*•·xX…●∙]{2}[\s-]?$/.test(before) && !behind.startsWith('*')) ||
    /^\s?[\p{Sc}%％°]/u.test(behind) ||
    /^[@=#]/.test(behind) ||
    (behind.startsWith('_') && !before.endsWith('_'))
  );
}

/**
 * Joins groups of digits, and groups of capitals and digits. `123 456`, `12 34 56`, `1 2 3 4 5 6` and `X7K 2PQ` are codes; `555 123 4567`
 * and its parts are not.
 */
function joinGroups(line: string, tokens: Token[]): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at];
    if (first === undefined) break;
    const isGroup = groupOf(first);
    let last = at;
    for (; isGroup !== null; last += 1) {
      const [left, right] = [tokens[last], tokens[last + 1]];
      if (left === undefined || right === undefined || !isGroup.test(right.value)) break;
      if (!isJoint(line.slice(left.end, right.start), left.value, right.value)) break;
      // `482913 14:05`
      if (right.value.length <= 2 && /^:[0-9]/.test(line.slice(right.end, right.end + 2))) break;
    }
    // A quantity that follows, as in `482913 10 minutes`, is not another group.
    if (last > at && (tokens[last + 1]?.kinds ?? 0) & kind.unit) last -= 1;
    joined.push(last === at ? first : joinedToken(line, first, tokens.slice(at, last + 1)));
    at = last + 1;
  }
  return joined;
}

/** Returns a pattern for the groups that may continue the code that a token begins. Returns null if the token is not a group. */
function groupOf({ value }: Token): RegExp | null {
  if (!/^[0-9A-Z]+$/.test(value)) return null;
  if (/^[0-9]+$/.test(value)) return value.length === 1 ? /^(?:[0-9]+|[A-Z])$/ : /^[0-9]+$/;
  if (/^[A-Z]$/.test(value)) return /^[A-Z0-9]$/;
  return /^(?=.*[A-Z])(?=.*[0-9])[A-Z0-9]{3,5}$/.test(value)
    ? new RegExp(`^(?=.*[A-Z])(?=.*[0-9])[A-Z0-9]{${value.length}}$`)
    : null;
}

function isJoint(gap: string, left: string, right: string): boolean {
  if (/^\s$/.test(gap)) return true;
  if (left.length === 1 && right.length === 1) return gap.length <= 7 && /^[\s[\]|(){}_*-]+$/.test(gap);
  return left.length === 3 && right.length === 3 && gap === ' - ';
}

function joinedToken(line: string, first: Token, run: Token[]): Token {
  const groups = run.map(({ value }) => value);
  const end = run.at(-1)?.end ?? first.end;
  return {
    ...first,
    word: groups.join(' '),
    value: groups.join(''),
    shape: joinedShape(line, first, end, groups),
    kinds: 0,
    end,
  };
}

function joinedShape(line: string, { start }: Token, end: number, groups: string[]): Shape | null {
  if (touchesNumber(line, start, end)) return null;
  const single = groups.every((group) => group.length === 1);
  const text = groups.join('');
  if (/[A-Z]/.test(text)) {
    if (single)
      return groups.length >= 5 && groups.length <= 10 ? (/[0-9]/.test(text) ? 'mixed' : 'letters') : null;
    return groups.length <= 4 ? 'mixed' : null;
  }
  if (isSpelled(groups)) return 'digits';
  if (!isEvenlyGrouped(groups) || /\(\s?$/.test(line.slice(Math.max(0, start - 2), start))) return null;
  return isDayMonthYear(groups) ? 'date' : 'digits';
}
