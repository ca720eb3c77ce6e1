/**
 * A word of a line with its place. `shape` is its possible reading as a code: `digits`, `mixed` (letters and digits),
 * `letters` (capitals only) or null. `value` is the code as a user would type it.
 */
export type Token = {
  word: string;
  value: string;
  shape: 'digits' | 'mixed' | 'letters' | null;
  start: number;
  end: number;
};

const wordPattern =
  /(?:\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}|\p{M}|[0-9])+(?:['’-](?:\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}|\p{M}|[0-9])+)*|\p{L}+/gu;

/** Splits a line into words. Groups of digits that make up one code with single blanks between them are one word. */
export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  for (const match of line.matchAll(wordPattern)) {
    const [text] = match;
    const start = match.index;
    const shape = touchesNumber(line, start, start + text.length) ? null : shapeOf(text);
    tokens.push({ word: text.toLowerCase(), value: text, shape, start, end: start + text.length });
  }
  return joinGroups(line, tokens);
}

function shapeOf(text: string): Token['shape'] {
  if (text.length > 24) return null;
  if (/^[0-9]{4,10}$/.test(text) || isEvenlyGrouped(text.split('-'))) return 'digits';
  if (/^[A-Z]{1,3}-[0-9]{4,8}$/.test(text)) return 'mixed';
  if (/^[A-Z0-9]{2,8}(?:-[A-Z0-9]{2,8}){0,3}$/.test(text) && /[A-Z]/.test(text)) {
    const length = text.replaceAll('-', '').length;
    if (/[0-9]/.test(text)) return length >= 4 && length <= 16 ? 'mixed' : null;
    return length >= 4 && length <= 12 ? 'letters' : null;
  }
  // Ordinary words are in lower case, but do not alternate letters and digits.
  return /^[a-z0-9]{6,10}$/.test(text) && /[0-9][a-z]+[0-9]|[a-z][0-9]+[a-z]/.test(text) ? 'mixed' : null;
}

/** Tests for two to four groups of two to four digits, all of one length, unlike a phone number or a date. */
function isEvenlyGrouped(groups: string[]): boolean {
  const length = groups[0]?.length ?? 0;
  if (groups.length < 2 || groups.length > 4 || length < 2 || length > 4) return false;
  if (!groups.every((group) => group.length === length && /^[0-9]+$/.test(group))) return false;
  return groups.length * length <= 10 && !(length === 2 && groups.length === 3 && isDayMonthYear(groups));
}

function isDayMonthYear(groups: string[]): boolean {
  const [first, second] = groups.map(Number);
  return (
    first !== undefined &&
    second !== undefined &&
    ((first <= 31 && second <= 12) || (first <= 12 && second <= 31))
  );
}

/** Tests for a number that continues across punctuation (date, amount, time) or has a sign that excludes a code. */
function touchesNumber(line: string, start: number, end: number): boolean {
  const before = line.slice(Math.max(0, start - 3), start);
  const behind = line.slice(end, end + 3);
  return (
    /[0-9][.,:/]$/.test(before) ||
    /^[.,:/][0-9]/.test(behind) ||
    /[$€£¥₹+#@/\\]\s?$/u.test(before) ||
    /[\p{L}0-9_][_.=&]$/u.test(before) ||
    /^\s?[$€£¥₹%°]/u.test(behind) ||
    /^[@_=]/.test(behind)
  );
}

/** Joins groups of digits. `123 456`, `12 34 56` and `1 2 3 4 5 6` are codes; `555 123 4567` and its parts are none. */
function joinGroups(line: string, tokens: Token[]): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at];
    if (first === undefined) break;
    let last = at;
    while (
      isDigits(tokens[last]) &&
      isDigits(tokens[last + 1]) &&
      oneBlank(line, tokens[last], tokens[last + 1])
    )
      last += 1;
    const run = tokens.slice(at, last + 1);
    at = last + 1;
    if (run.length === 1) {
      joined.push(first);
      continue;
    }
    const groups = run.map(({ value }) => value);
    const spelled = groups.length >= 4 && groups.length <= 10 && groups.every((group) => group.length === 1);
    const end = run.at(-1)?.end ?? first.end;
    const whole = isEvenlyGrouped(groups) || spelled ? joinedShape(line, first.start, end) : null;
    joined.push({ word: groups.join(' '), value: groups.join(''), shape: whole, start: first.start, end });
  }
  return joined;
}

function joinedShape(line: string, start: number, end: number): Token['shape'] {
  return touchesNumber(line, start, end) || /\(\s?$/.test(line.slice(0, start)) ? null : 'digits';
}

function isDigits(token: Token | undefined): boolean {
  return token !== undefined && /^[0-9]+$/.test(token.value);
}

function oneBlank(line: string, left: Token | undefined, right: Token | undefined): boolean {
  return (
    left !== undefined &&
    right !== undefined &&
    right.start === left.end + 1 &&
    /\s/.test(line.charAt(left.end))
  );
}
