import { isAscii, isUtf8 } from 'node:buffer';
import { getBOMEncoding, labelToName, TextDecoder } from '@exodus/bytes/encoding.js';
import sniffHtml from 'html-encoding-sniffer';
import iconv from 'iconv-lite';

/** Decodes octets piece by piece. Calling it without octets ends the text. */
export type CharacterDecoder = { decode(bytes?: Uint8Array, options?: { stream: boolean }): string };

/** Encoding of text, and whether the sender is to blame for a guess. */
export type Charset = {
  encoding: string;
  /**
   * `unknown-charset`: the label names no encoding. `undeclared-charset`: octets above 127 are not UTF-8, and no encoding is declared.
   * `undecodable`: the declared encoding has no octets above 127.
   */
  fault: 'unknown-charset' | 'undeclared-charset' | 'undecodable' | null;
};

/** Labels that mailers write but the encoding standard does not define, without punctuation or spaces. */
const aliases = new Map(
  Object.entries({
    'euc-kr': 'cp949 949 ms949 xwindows949 uhc euckr ksc5601 ksc56011987 ksx1001',
    shift_jis: 'cp932 932 ms932 windows932 shiftjis shiftjisx0213 shiftjis2004 xmssjis',
    gb18030: 'cp936 936 ms936 windows936 euccn xeuccn gb23121980 gb2312 gb18030 cp54936 gbk xgbk',
    big5: 'cp950 950 ms950 windows950 big5hkscs big5eten big5tw cp951',
    'euc-jp': 'eucjp eucjpms eucjis2004 cp51932 ujis',
    'iso-2022-jp':
      'jis iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpms cp50220 cp50221 cp50222',
    'utf-8': 'utf8 utf8mb3 utf8mb4 utf8mac utf8bom xutf8 cp65001 unicode11utf8 iso10646utf8',
    'utf-7': 'utf7 unicode11utf7 xunicode20utf7 csutf7 cp65000',
    'iso-2022-kr': 'iso2022kr csiso2022kr',
    'hz-gb-2312': 'hz hzgb2312 hzgb',
    'utf-16': 'utf16 ucs2 iso10646ucs2 csunicode unicode iso10646',
  }).flatMap(([encoding, labels]) => labels.split(' ').map((label): [string, string] => [label, encoding])),
);

/** Multi-byte encodings that do not contain ASCII. */
const wide = /^utf-(16|32)/i;
const ascii = new Set(['', 'ascii', 'us-ascii', '7bit', '8bit', 'ansi_x3.4-1968']);
/** Names that mean something else in the libraries, and that no text uses. */
const noCharset = /^(base64|hex|binary|utf-?7-?imap|internal)$/;
const longestLabel = 100;

/**
 * Returns the encoding that a label names, or null. Labels come from the encoding standard, from mailers' variants of it, and from
 * encodings that the standard omits. `x-user-defined` and the labels of the standard's replacement encoding do not count.
 */
export function encodingOf(label: string): string | null {
  const word = plainLabel(label);
  const bare = word.replace(/[^a-z0-9]/g, '');
  const known = aliases.get(bare) ?? standardName(word) ?? standardName(bare);
  if (known !== null) return known;
  if (noCharset.test(word)) return null;
  return iconv.encodingExists(word) ? word : null;
}

function standardName(label: string): string | null {
  const name = labelToName(label);
  return name === null || name === 'replacement' || name === 'x-user-defined' ? null : name.toLowerCase();
}

/** Removes quotes, comments and anything after a label: `"UTF-8;"` is `utf-8`. */
function plainLabel(label: string): string {
  return label
    .slice(0, longestLabel)
    .toLowerCase()
    .replace(/^[\s"'=]+/, '')
    .replace(/[\s"';,(*].*$/s, '');
}

/**
 * Chooses the encoding of text by its byte order mark, parameter, HTML meta element, UTF-8 or windows-1252, in this order. ASCII as a
 * parameter counts as no parameter, and so does ISO-2022 without its escape sequences beside UTF-8. `bytes` is the start of the text.
 */
export function charsetOf(bytes: Uint8Array, label: string | null, isHtml: boolean): Charset {
  const marked = markOf(bytes);
  if (marked !== null) return { encoding: marked, fault: null };
  const word = plainLabel(label ?? '');
  const declared = ascii.has(word) ? null : encodingOf(word);
  if (declared?.startsWith('iso-2022') && !bytes.includes(escapeOctet) && !isAscii(bytes) && isUtf8(bytes))
    return { encoding: 'utf-8', fault: 'undecodable' };
  if (declared !== null) return { encoding: declared, fault: null };
  const meta = isHtml ? sniffHtml(bytes, { defaultEncoding: 'replacement' }) : 'replacement';
  const unknown = ascii.has(word) ? null : 'unknown-charset';
  if (meta !== 'replacement') return { encoding: meta.toLowerCase(), fault: unknown };
  if (isUtf8(bytes)) return { encoding: 'utf-8', fault: unknown };
  return { encoding: 'windows-1252', fault: unknown ?? 'undeclared-charset' };
}

/** Returns the encoding that a byte order mark declares. */
function markOf(bytes: Uint8Array): string | null {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) return 'utf-32le';
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'utf-32be';
  return getBOMEncoding(bytes)?.toLowerCase() ?? null;
}

/** Checks whether an encoding has line endings of more than one octet. */
export function isWide(encoding: string): boolean {
  return wide.test(encoding);
}

/** Creates an encoding's decoder. Undecodable octets become U+FFFD. */
export function decoderOf(encoding: string): CharacterDecoder {
  if (encoding === 'iso-2022-jp') return japaneseDecoder();
  const ofRuns = sevenBits.get(encoding);
  if (ofRuns === undefined && labelToName(encoding) !== null && encoding !== 'utf-16')
    return new TextDecoder(encoding);
  const pieces: Buffer[] = [];
  return {
    decode(bytes, options) {
      if (bytes !== undefined) pieces.push(Buffer.from(bytes));
      if (options?.stream === true) return '';
      // iconv-lite decodes some encodings incorrectly piece by piece, and keeps lone surrogates.
      const octets = Buffer.concat(pieces);
      return (ofRuns?.(octets) ?? iconv.decode(octets, encoding)).toWellFormed();
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the encoding shifts by them
const koreanRun = /\x1b\$\)C|\x0e([^\x0e\x0f\r\n]*)\x0f?|\x0f/g;
const chineseRun = /~(?:\{((?:[!-}][!-~])*)(?:~\})?|\r?\n|(~))/g;

/**
 * Encodings that mix ASCII with runs of other characters, which the libraries lack or decode slowly. A run ends with its line at the
 * latest.
 */
const sevenBits = new Map<string, (octets: Buffer) => string>([
  ['utf-7', decodeUtf7],
  // RFC 1557: runs between SO and SI, and a designator with a single value.
  ['iso-2022-kr', (octets) => decodeRuns(octets, 'euc-kr', koreanRun, withHighBits)],
  // RFC 1843: runs of pairs between ~{ and ~}.
  [
    'hz-gb-2312',
    (octets) => decodeRuns(octets, 'gb18030', chineseRun, (_, run, tilde) => tilde ?? withHighBits(_, run)),
  ],
]);

type Replaced = (found: string, run?: string, tilde?: string) => string;

function decodeRuns(octets: Buffer, encoding: string, runs: RegExp, octetsOf: Replaced): string {
  return decodeOctets(Buffer.from(octets.toString('latin1').replace(runs, octetsOf), 'latin1'), encoding);
}

function withHighBits(_: string, run = ''): string {
  return run.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) | 0x80));
}

/** Decodes UTF-7 (RFC 2152) in a twentieth of iconv-lite's time: an email may have a run of Base64 for each character. */
function decodeUtf7(octets: Buffer): string {
  return octets.toString('latin1').replace(/\+([A-Za-z0-9+/]*)-?|[^\0-\x7f]/g, (_, run?: string) => {
    if (run === undefined) return '\ufffd';
    if (run === '') return '+';
    const units = Buffer.from(run, 'base64');
    return units
      .subarray(0, units.length - (units.length % 2))
      .swap16()
      .toString('utf16le');
  });
}

const escapeOctet = 0x1b;
const escapeLength = 3;

/**
 * Creates the ISO-2022-JP decoder. It skips each escape sequence that is followed by another, as between adjacent encoded words, because
 * the encoding standard converts such a sequence to U+FFFD.
 */
function japaneseDecoder(): CharacterDecoder {
  const decoder = new TextDecoder('iso-2022-jp');
  let held = Buffer.alloc(0);
  return {
    decode(bytes = new Uint8Array(), options) {
      const isLast = options?.stream !== true;
      const octets = Buffer.concat([held, bytes]);
      const last = octets.lastIndexOf(escapeOctet);
      // Pieces may end within a sequence.
      const end = isLast || last < octets.length - escapeLength || last < 0 ? octets.length : last;
      held = octets.subarray(end);
      return decoder.decode(withoutIdleEscapes(octets.subarray(0, end), held.length > 0), options);
    },
  };
}

/** Removes each escape sequence that is followed by another. `isFollowed`: an escape sequence comes after the octets. */
function withoutIdleEscapes(octets: Buffer, isFollowed: boolean): Uint8Array {
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = octets.indexOf(escapeOctet); at >= 0; at = octets.indexOf(escapeOctet, at + 1)) {
    const next = at + escapeLength;
    const isIdle = next === octets.length ? isFollowed : octets[next] === escapeOctet;
    if (!isIdle) continue;
    kept.push(octets.subarray(from, at));
    from = next;
  }
  return from === 0 ? octets : Buffer.concat([...kept, octets.subarray(from)]);
}

/** Decodes all octets at the same time. */
export function decodeOctets(bytes: Buffer, encoding: string): string {
  if (encoding !== 'utf-8') return decoderOf(encoding).decode(bytes);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}
