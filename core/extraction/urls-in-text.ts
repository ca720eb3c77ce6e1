/**
 * URL in running text, with the text next to it. `before` is the text before the URL on its line or, if there is none, the last two lines
 * that contain letters, each as a sentence, with a line break at the end. Lines that a mail program wrapped count as one.
 */
export type UrlInText = { url: string; before: string; after: string; rest: string };

/** Maximum number of characters that are searched for URLs, and maximum length of a URL. */
const maxText = 262_144;
export const maxUrl = 8192;

/** Number of characters next to a URL that may state its purpose. */
const maxBeside = 200;
/** Minimum length, in characters, of a line that a mail program may have wrapped. */
const longLine = 50;
/** Number of characters after a URL that may continue it. */
const maxRest = 100;

/**
 * Characters that cannot be part of a URL: white space, controls, quotes, Arabic, Hindi, Chinese and Japanese punctuation, and brackets
 * except `()[]`.
 */
const ends =
  '\\s\\p{Cc}\\p{Cf}<>"`\\{\\}\\|\\\\\\^\\u2000-\\u206f\\u060c\\u061b\\u061f\\u0964\\u0965\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u30fb\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\p{Pi}\\p{Pf}[[\\p{Ps}\\p{Pe}]--[\\(\\)\\[\\]]]';
/** Letters of languages that do not put spaces between words. After a Latin letter or a digit in a host, they continue the sentence. */
const unspaced =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\u30fc';
/**
 * A label of the host may mix scripts, as in `eメール.example`. Another URL after a comma, or after Markdown's `](`, is not part of this
 * one.
 */
const pattern = new RegExp(
  `https?:\\/\\/(?:[^${ends}${unspaced}\\/?#]|(?<![a-z0-9])[${unspaced}]|[${unspaced}](?=[\\p{L}\\p{N}\\-]{0,62}\\.\\p{L}))+` +
    `(?:[\\/?#](?:(?!(?:[,;]|\\]\\()https?:\\/\\/)(?:[^${ends}${unspaced}]|(?<![a-z0-9])[${unspaced}]))*)?`,
  'giv',
);

/** Korean and Japanese particles after a URL's punctuation. They continue the sentence instead of beginning a path segment. */
const particles = /(?<=[/=_~-])(?:을|를|으?로|에서?|[이가은는과와의]|(?:を|から)[^/]{0,200})$/;

/** Finds the http and https URLs in plain text. Takes linear time. */
export function urlsInText(text: string): UrlInText[] {
  const found: UrlInText[] = [];
  if (!text.includes('://')) return found;
  let heading = '';
  /** Line before the heading, if it does not belong to another URL. */
  let earlier = '';
  let isUsed = true;
  /** Line directly before, if it may continue on the next line. */
  let open = '';
  const notes = new Map<string, string>();
  const lines = joinBracketed(text.slice(0, maxText)).split('\n');
  const last = lines.findLastIndex((line) => line.includes('://'));
  for (const [at, line] of lines.slice(0, last + 1).entries()) {
    let from = 0;
    for (const match of line.includes('://') ? line.matchAll(pattern) : []) {
      const own = line.slice(Math.max(from, match.index - maxBeside), match.index);
      const end = match.index + match[0].length;
      const isBracketed = /<(?:URL:)?$/i.test(own) && line.charAt(end) === '>';
      const whole = match[0].slice(0, maxUrl + 1);
      const url = isBracketed ? whole : trimUrl(whole, own);
      found.push({
        url,
        before: /\p{L}/u.test(own)
          ? own
          : (notes.get(noteOf(own)) ?? (heading && `${earlier && `${earlier}.\n`}${heading}\n`)),
        after: line.slice(isBracketed ? end + 1 : end, end + maxBeside),
        rest: end === line.length ? beginningOf(lines[at + 1] ?? '') : '',
      });
      from = match.index + url.length;
    }
    const isText = from === 0 && /\p{L}/u.test(line);
    if (from > 0) isUsed = true;
    else if (
      isText &&
      open !== '' &&
      (open.length < longLine ? /^\s*\p{Ll}/u : /^\s*[\p{L}\p{N}]/u).test(line)
    ) {
      heading = `${heading} ${line}`.slice(-maxBeside);
    } else if (isText) {
      earlier = isUsed ? '' : heading;
      heading = line.slice(-maxBeside);
      isUsed = false;
    }
    open = isText && !/[.:!?;。：！？]\s*$/.test(line.slice(-8)) ? line : '';
    for (const { 1: note = '', 2: link, index } of line.includes('[')
      ? line.matchAll(/\[(\d{1,3})\](\p{L}[^[\].!?]{0,99})?/gu)
      : []) {
      const before = line.slice(Math.max(0, index - maxBeside), index);
      // Lynx writes the number before the text of its link: `please [1]reset your password`.
      const text = link === undefined || /\p{L}$/u.test(before) ? before : link;
      if (!notes.has(note) && (text === link || /\p{L}.?.?$/u.test(before.slice(-6)))) notes.set(note, text);
    }
  }
  return found;
}

/** Returns the number of a footnote that is a URL, as in `[1] https://…`, or '' for any other URL. */
function noteOf(before: string): string {
  return /^\s*\[?(\d{1,3})[\].:]{1,2}\s*$/.exec(before)?.[1] ?? '';
}

/** Returns the beginning of a line up to the first white space, without quote marks. */
function beginningOf(line: string): string {
  return /^[>\s]*(\S*)/.exec(line.slice(0, maxRest))?.[1] ?? '';
}

/**
 * Joins the lines of URLs that are in angle brackets (RFC 3986 appendix C). Quote marks at the beginning of a line are not part of the
 * URL. Brackets with spaces within a line stay unchanged.
 */
function joinBracketed(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (const match of text.matchAll(/<(?:URL:)?https?:\/\/[^\s<>]*(?=[\t\r ]*\n)/gi)) {
    const lineStart = text.lastIndexOf('\n', match.index) + 1;
    const [quoted = ''] = /^[> ]{0,100}/.exec(text.slice(lineStart, lineStart + 100)) ?? [];
    const rest = restOfBracketed(text, match.index + match[0].length, quoted.split('>').length - 1);
    if (rest === null) continue;
    pieces.push(text.slice(done, match.index), match[0], rest.text);
    done = rest.end;
  }
  return pieces.length === 0 ? text : `${pieces.join('')}${text.slice(done)}`;
}

/**
 * Reads the lines up to the closing bracket. Removes their quote marks, at most `depth` per line. Returns null if a line is not part of a
 * URL.
 */
function restOfBracketed(text: string, start: number, depth: number): { text: string; end: number } | null {
  const line = /[\t\r ]*\n((?:[\t ]*>)*)[\t ]*([^\s<>]*)(>?)/y;
  const read: string[] = [];
  let length = 0;
  line.lastIndex = start;
  for (let match = line.exec(text); match !== null && length <= maxUrl; match = line.exec(text)) {
    const [, marks = '', piece = '', close = ''] = match;
    const isQuoted = marks.split('>').length - 1;
    if (piece === '' || isQuoted > depth) return null;
    read.push(piece);
    length += piece.length;
    if (close === '>') return { text: `${read.join('')}>`, end: line.lastIndex };
  }
  return null;
}

/** Removes characters that belong to the sentence around a URL: punctuation, a bracket that the URL did not open, and emphasis marks. */
function trimUrl(whole: string, before: string): string {
  const url = whole.slice(0, firstUnopened(whole)).replace(particles, '');
  const emphasis = emphasisBefore(before);
  let end = url.length;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    const left = emphasis.get(last) ?? 0;
    if (left > 0) emphasis.set(last, left - 1);
    else if (!".,;:!?'([".includes(last)) break;
  }
  return url.slice(0, end);
}

/** Returns the position of the first closing bracket that has no opening bracket, or the string's length. */
function firstUnopened(url: string): number {
  const open = { ')': 0, ']': 0 };
  for (let at = 0; at < url.length; at++) {
    const sign = url.charAt(at);
    if (sign === '(') open[')'] += 1;
    else if (sign === '[') open[']'] += 1;
    else if (sign === ')' || sign === ']') {
      if (open[sign] === 0) return at;
      open[sign] -= 1;
    }
  }
  return url.length;
}

/**
 * Counts the emphasis marks (`**`, `_`, `~~`, `--`) directly before a URL. Also counts an asterisk or underscore that opens emphasis
 * earlier on the line without closing it.
 */
function emphasisBefore(before: string): Map<string, number> {
  const signs = new Map<string, number>();
  let at = before.length;
  for (; at > 0; at--) {
    const sign = before.charAt(at - 1);
    if ('*_~-'.includes(sign)) signs.set(sign, (signs.get(sign) ?? 0) + 1);
    else if (!'(['.includes(sign)) break;
  }
  for (const match of before
    .slice(0, at)
    .matchAll(/(?<![\p{L}\p{N}*_])([*_])\1?(?=[\p{L}\p{N}])|(?<=[^\s*_])([*_])\2?(?![\p{L}\p{N}*_])/gu)) {
    const [run, opening, closing] = match;
    if (opening !== undefined) signs.set(opening, run.length);
    else if (closing !== undefined) signs.delete(closing);
  }
  return signs;
}
