import { digitValue } from '#core/extraction/code-signs.ts';

/** Maximum length of a masked code, in characters. The field OTP-Token may contain any text. */
const codeCharacters = 100;
/** Maximum length of a code that is also found if it is split into groups, or if each digit is in a separate box. */
const groupedCharacters = 24;

/** Zero digits of the scripts whose digits occur in codes: ASCII, Arabic, Persian, Devanagari, Bengali, Thai, full-width. */
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
const digitOf = (digit: string) => zeros.map((zero) => String.fromCodePoint(zero + Number(digit))).join('');
const allDigits = zeros
  .map((zero) => `${String.fromCodePoint(zero)}-${String.fromCodePoint(zero + 9)}`)
  .join('');
/** Blanks, dashes and invisible characters between a code's groups. */
const between = '[\\s\\p{Pd}\\p{Cf}·]';
const letter = '[\\p{N}\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';

/**
 * Builds the expression that matches codes as whole words in any spelling: `123 456`, `123-456` and `１２３４５６` are all 123456. The
 * expression is used for all texts of an email.
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
 * Masks codes whose characters are spread over several lines, as in table cells or form fields. Ignores tags between them. Calls `mask`
 * once for each code.
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
      // Keeps a form field's other attributes.
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

/** Returns the part of a code that a line may contain, or null for tags and empty lines. */
function pieceOf(text: string): string | null {
  const shown = isTag(text) ? /^<input\b[^>]{0,500} value="([^"]{1,30})"/.exec(text)?.[1] : text;
  // A longer line cannot be part of a code, and ends any code before it.
  if (shown === undefined || shown === '') return null;
  return (
    shown
      .slice(0, 2 * groupedCharacters)
      .replace(blanks, '')
      .replace(foreignDigits, asciiDigit) || null
  );
}

/** Returns the number of consecutive pieces that spell a code, starting at the given place, or 0. */
function spelledFrom(pieces: { piece: string }[], from: number, wanted: Set<string>): number {
  let text = '';
  for (let at = from; at < pieces.length && text.length < groupedCharacters; at += 1) {
    text += pieces[at]?.piece;
    if (at > from && wanted.has(text)) return at - from + 1;
  }
  return 0;
}
