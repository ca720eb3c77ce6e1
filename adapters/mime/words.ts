import libmime from 'libmime';
import { isAscii } from '#core/ascii.ts';
import { bodyDecoder } from '#core/messages/attachment-body.ts';
import { charsetOf, decodeOctets } from './charset.ts';

type Word = { charset: string; octets: Uint8Array };

const beginning = /^=\?([^?\s]{1,100})\?([bq])\?/i;
const longestBeginning = 110;

/**
 * Decodes encoded words (RFC 2047). Decodes the octets of adjacent words in one character set together, since many mailers split
 * characters. Takes linear time.
 */
export function decodeWords(value: string): string {
  const pieces: string[] = [];
  let run: Word[] = [];
  // Base64 may continue across words that are split within a group of four characters.
  let base64 = bodyDecoder('base64');
  let at = 0;
  let end = -1;
  for (let start = value.indexOf('=?'); start >= 0; start = value.indexOf('=?', start)) {
    const [head, charset = '', letter = ''] =
      beginning.exec(value.slice(start, start + longestBeginning)) ?? [];
    if (head === undefined) {
      start += 2;
      continue;
    }
    const from = start + head.length;
    if (end < from) end = value.indexOf('?=', from);
    if (end < 0) break;
    const text = value.slice(from, end);
    if (text.includes('=?')) {
      start += 2;
      continue;
    }
    const between = value.slice(at, start);
    const label = charset.replace(/\*.*$/s, '').toLowerCase();
    const joins = run.length > 0 && between.trim() === '';
    if (!joins || run[0]?.charset !== label) {
      pieces.push(decodeRun(run), joins ? '' : between);
      run = [];
      base64 = bodyDecoder('base64');
    }
    const isBase64 = letter.toLowerCase() === 'b';
    at = end + 2;
    start = at;
    if (!isBase64 && !isAscii(text)) {
      pieces.push(decodeRun(run), decodeRaw(label, text));
      run = [];
      // White space before the next encoded word is not part of the text.
      run.push({ charset: label, octets: new Uint8Array() });
      continue;
    }
    run.push({ charset: label, octets: isBase64 ? base64.push(Buffer.from(text)) : unquoted(text) });
  }
  pieces.push(decodeRun(run), value.slice(at));
  return pieces.join('');
}

/** Decodes a quoted word in which characters above 127 stand for themselves, because the field's octets are already decoded. */
function decodeRaw(charset: string, text: string): string {
  return text
    .split(/(\P{ASCII}+)/u)
    .map((piece) => (isAscii(piece) ? decodeRun([{ charset, octets: unquoted(piece) }]) : piece))
    .join('');
}

function decodeRun(run: Word[]): string {
  const [first] = run;
  if (first === undefined) return '';
  const octets = Buffer.concat(run.map((word) => word.octets));
  return decodeOctets(octets, charsetOf(octets, first.charset, false).encoding);
}

/** Decodes the Q encoding (RFC 2047 section 4.2). */
function unquoted(text: string): Uint8Array {
  const octets = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] as number;
    const pair = octet === 0x3d ? octets.toString('latin1', at + 1, at + 3) : '';
    const isPair = /^[0-9a-f]{2}$/i.test(pair);
    octets[length++] = isPair ? Number.parseInt(pair, 16) : octet === 0x5f ? 0x20 : octet;
    if (isPair) at += 2;
  }
  return octets.subarray(0, length);
}

/** libmime with the decoder for bodies, for its parsers of values. */
class Words extends libmime.Libmime {
  override decodeWords(value: string): string {
    return value.includes('=?') ? decodeWords(value) : value;
  }

  override decodeWord(charset: string, encoding: string, text: string): string {
    const label = charset.replace(/\*.*$/s, '');
    if (encoding.toUpperCase() !== 'B') return decodeRaw(label, text);
    return decodeRun([{ charset: label, octets: bodyDecoder('base64').push(Buffer.from(text)) }]);
  }
}

const words = new Words();

/** Parses a value and its parameters (RFC 2045, RFC 2231). Removes comments; decodes encoded words in parameters. */
export function readParameters(value: string): { value: string; params: Map<string, string> } {
  const parsed = words.parseHeaderValue(value, { stripComments: true });
  const decoded = new Set(parsed.decodedParams);
  const params = Object.entries(parsed.params).map(([key, text]): [string, string] => [
    key,
    decoded.has(key) ? text : words.decodeWords(text),
  ]);
  return { value: parsed.value.trim(), params: new Map(params) };
}
