import { isAscii } from '#core/ascii.ts';

/** Characters that nobody sees or types: format characters (zero-width, directional), variation selectors, and the keycap mark. */
const unseen = /(?:\p{Cf}|\u034f|\u180e|\ufe0e|\ufe0f|\u20e3)+/gu;
/** Minus sign, small hyphen-minus, full-width hyphen-minus. */
const hyphens = new Set([0x2212, 0xfe63, 0xff0d]);
const plain: Record<string, string> = { ı: 'i', ł: 'l', ø: 'o', đ: 'd', ð: 'd', ß: 'ss' };
const digit = /\p{Nd}/u;
const digits = new Map<string, string>();

/**
 * Normalizes text to the way in which users type codes: ASCII digits, ASCII letters instead of full-width letters, one kind of hyphen, no
 * invisible characters.
 */
export function typeable(text: string): string {
  if (isAscii(text)) return text;
  return text
    .replace(unseen, '')
    .replace(/\P{ASCII}/gu, (sign) => digits.get(sign) ?? typed(sign))
    .replace(/(?<=[0-9])-?[·•‧∙・](?=[0-9])/g, '-');
}

function typed(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (digit.test(sign)) {
    const ascii = String(digitValue(code));
    digits.set(sign, ascii);
    return ascii;
  }
  if ((code >= 0xff21 && code <= 0xff3a) || (code >= 0xff41 && code <= 0xff5a))
    return String.fromCharCode(code - 0xfee0);
  if ((code >= 0x2010 && code <= 0x2015) || hyphens.has(code)) return '-';
  return /\s/.test(sign) ? (code === 0x2028 || code === 0x2029 ? '\n' : ' ') : sign;
}

/** Returns a decimal digit's value. Unicode arranges digits in sets of ten that begin with zero, and some sets are adjacent. */
export function digitValue(code: number): number {
  let first = code;
  while (digit.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

/** Folds a word: removes accents and unifies spelling variants. */
export function foldWord(word: string): string {
  if (isAscii(word)) return word;
  return word
    .slice(0, 64)
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
    .normalize('NFC')
    .replace(/[ıłøđðß]/g, (letter) => plain[letter] ?? letter);
}
