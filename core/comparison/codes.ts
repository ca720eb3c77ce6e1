import { digitValue } from '#core/extraction/code-signs.ts';

/** Characters of the longest code that is masked. The field OTP-Token may have any text. */
const codeCharacters = 100;
/** Characters of the longest code that is found in groups, or with each digit in a box. */
const groupedCharacters = 24;

/** Digits of zero in the scripts of whose numbers codes are made: ASCII, Arabic, Persian, Devanagari, Bengali, Thai, full-width. */
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
const digitOf = (digit: string) => zeros.map((zero) => String.fromCodePoint(zero + Number(digit))).join('');
const allDigits = zeros
  .map((zero) => `${String.fromCodePoint(zero)}-${String.fromCodePoint(zero + 9)}`)
  .join('');
/** Blanks, dashes and invisible characters between the groups of a code. */
const between = '[\\s\\p{Pd}\\p{Cf}·]';
const letter = '[\\p{N}\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';

/**
 * Makes the expression of codes where they stand as words, as they are written: `123 456`, `123-456` and `１２３４５６` are 123456. It
 * serves for all texts of a mail.
 */
export function codePattern(codes: readonly string[]): RegExp {
  const masked = codes.filter((code) => code !== '' && code.length <= codeCharacters);
  if (masked.length === 0) return /(?!)/g;
  const forms = masked.sort((a, b) => b.length - a.length).map(formOf);
  return new RegExp(`(?<!${letter})(?:${forms.join('|')})(?!${letter})`, 'gu');
}

function formOf(code: string): string {
  const plain = code.replaceAll('-', '');
  if (!/^[\p{L}\p{M}0-9]{2,}$/u.test(plain) || plain.length > groupedCharacters)
    return code.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const characters = [...plain].map((one) => (/[0-9]/.test(one) ? `[${digitOf(one)}]` : one));
  return characters.join(`${between}{0,3}`);
}

const blanks = new RegExp(between, 'gu');
const foreignDigits = new RegExp(`[${allDigits}]`, 'gu');
const asciiDigit = (digit: string) => String(digitValue(digit.codePointAt(0) ?? 0));

/**
 * Masks codes whose characters stand in lines of their own, such as the cells of a table or fields of a form. Tags between them do
 * not count. `mask` is called once for each code.
 */
export function maskSpelled<Line extends { text: string }>(
  lines: Line[],
  codes: readonly string[],
  mask: () => string,
): Line[] {
  const wanted = new Set(
    codes
      .map((code) => code.replaceAll('-', ''))
      .filter(({ length }) => length > 1 && length <= groupedCharacters),
  );
  if (wanted.size === 0) return lines;
  const pieces = lines.flatMap(({ text }, at) => {
    const piece = pieceOf(text);
    return piece === null ? [] : [{ at, piece }];
  });
  const masked = [...lines];
  for (let from = 0; from < pieces.length; from += 1) {
    const length = spelledFrom(pieces, from, wanted);
    if (length === 0) continue;
    const value = mask();
    for (const { at, piece } of pieces.slice(from, from + length)) {
      const line = masked[at];
      // A field of a form keeps its other attributes.
      if (line !== undefined)
        masked[at] = {
          ...line,
          text: isTag(line.text) ? line.text.replace(`value="${piece}"`, `value="${value}"`) : value,
        };
    }
    from += length - 1;
  }
  return masked;
}

const isTag = (text: string) => text.startsWith('<');

/** Returns the part of a code that a line may have, null for tags and empty lines. */
function pieceOf(text: string): string | null {
  const shown = isTag(text) ? /^<input\b[^>]{0,500} value="([^"]{1,30})"/.exec(text)?.[1] : text;
  // A longer one is no part, and ends the code before it.
  if (shown === undefined || shown === '') return null;
  return (
    shown
      .slice(0, 2 * groupedCharacters)
      .replace(blanks, '')
      .replace(foreignDigits, asciiDigit) || null
  );
}

/** Returns the number of pieces from a place on that spell a code, 0 for none. */
function spelledFrom(pieces: { piece: string }[], from: number, wanted: Set<string>): number {
  let text = '';
  for (let at = from; at < pieces.length && text.length < groupedCharacters; at += 1) {
    text += pieces[at]?.piece;
    if (at > from && wanted.has(text)) return at - from + 1;
  }
  return 0;
}
