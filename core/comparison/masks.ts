/**
 * Kinds of values that differ from one mail to the next. `ids`: message ids, boundaries, signatures, UUIDs, tokens, and addresses
 * that clients make (`signup-3f9a2c71d0@app.test`); `dates`: dates and times; `codes`: one-time codes; `queries`: query strings of URLs.
 */
export const maskKinds = ['ids', 'dates', 'codes', 'queries'] as const;
export type MaskKind = (typeof maskKinds)[number];

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const clock =
  '\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?: ?[ap]m\\b)?(?: ?(?:[+-]\\d{2}:?\\d{2}|z\\b|gmt\\b|utc\\b))?';
const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}, ?)?';

/**
 * Dates with or without a time, the longest forms first: of RFC 5322, of ISO 8601, with words, and in figures; then times
 * alone.
 */
const dates = new RegExp(
  [
    `${weekday}\\b\\d{1,2}\\.? ${month} \\d{4}(?:,? ${clock}(?: \\([a-z]{2,5}\\))?)?`,
    `\\b\\d{4}-\\d{2}-\\d{2}(?:[t ]${clock})?`,
    `${weekday}\\b${month} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}(?:,? ${clock})?`,
    '\\b\\d{1,2}[/.]\\d{1,2}[/.](?:\\d{4}|\\d{2})\\b',
    `\\b${clock}`,
  ].join('|'),
  'gi',
);

/** URL with or without a query: a URL that does not match would be searched again from each `http://` within it. */
const url = /(\bhttps?:\/\/[^\s"'<>?#]+)(\?[^\s"'<>#]*)?/gi;
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Local part that a client makes for a test. In a URL, `@` is encoded. */
const inboxName = /[a-z0-9-]{1,40}-[0-9a-f]{10}(?=@|%40)/g;
const token = /[A-Za-z0-9_-]{16,}/g;

/** Checks whether a word is made by a machine: hexadecimal, or long with several digits. Names of CSS classes are not. */
function isToken(word: string): boolean {
  if (/^[0-9a-f]+$/i.test(word)) return /\d/.test(word);
  return word.length >= 20 && (word.match(/\d/g)?.length ?? 0) >= 3 && /[a-z]/i.test(word);
}

/**
 * Replaces values of some kinds by their names in brackets. `codes` is the expression of the codes that the mail has. Takes
 * linear time.
 */
export function maskText(text: string, kinds: readonly MaskKind[], codes: RegExp): string {
  let masked = text;
  if (kinds.includes('queries'))
    masked = masked.replace(url, (whole, start, query) => (query ? `${start}?[query]` : whole));
  if (kinds.includes('codes')) masked = masked.replace(codes, '[code]');
  if (kinds.includes('ids'))
    masked = masked
      .replace(inboxName, '[id]')
      .replace(uuid, '[id]')
      .replace(token, (word) => (isToken(word) ? '[id]' : word));
  if (kinds.includes('dates')) masked = masked.replace(dates, '[date]');
  return masked;
}

/** Characters of the longest code that is masked. The field OTP-Token may have any text. */
const codeCharacters = 100;

/** Makes the expression of codes where they stand as words, which serves for all texts of a mail. */
export function codePattern(codes: readonly string[]): RegExp {
  const masked = codes.filter((code) => code !== '' && code.length <= codeCharacters);
  if (masked.length === 0) return /(?!)/g;
  const escaped = masked
    .sort((a, b) => b.length - a.length)
    .map((code) => code.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'gu');
}

/** Fields whose values are ids, in lower case. */
const idFields = new Set([
  'message-id',
  'in-reply-to',
  'references',
  'content-id',
  'x-message-id',
  'resent-message-id',
]);
const signatures = /^(?:dkim-signature|arc-seal|arc-message-signature|arc-authentication-results)$/;

/** Masks the value of a header field, by its name in lower case. */
export function maskField(name: string, value: string, kinds: readonly MaskKind[], codes: RegExp): string {
  let masked = value;
  if (kinds.includes('ids')) {
    if (idFields.has(name)) return masked.trim() === '' ? '' : '[id]';
    if (signatures.test(name)) masked = masked.replace(/\b(bh?)=[^;]*/g, '$1=[id]');
    masked = masked.replace(/\bboundary=(?:"[^"]*"|[^\s;]+)/gi, 'boundary=[id]');
    if (name === 'received') masked = masked.replace(/\bid [^\s;]+/gi, 'id [id]');
  }
  // Times of a signature are seconds (RFC 6376 section 3.5).
  if (kinds.includes('dates') && signatures.test(name)) masked = masked.replace(/\b([tx])=\d+/g, '$1=[date]');
  return maskText(masked, kinds, codes);
}
