import type { Line } from './code-lines.ts';
import type { Token } from './code-token.ts';
import { isNotice, pointsBelow } from './code-words.ts';

/** Checks for capitals that end their sentence and are not a known word. */
export function isLoneWord({ tokens }: Line, place: number): boolean {
  const [token, next] = [tokens[place], tokens[place + 1]];
  if (token === undefined || isNotice(token.value) || token.kinds !== 0) return false;
  return next === undefined || next.breaks || next.apart || !/^\p{Lu}{2}/u.test(next.value);
}

/** Checks for a line that a code may follow: a line without the end of a sentence, or with a word such as `below`. */
export function isOpen({ text }: Line): boolean {
  return !/[.!?。！？]\s*$/.test(text.slice(-8)) || pointsBelow(text);
}

/** Checks for capitals that are not a word in any language. */
export function isUnspoken({ value }: Token): boolean {
  return value.length >= 5 && !/[AEIOUY]/.test(value);
}

/** Checks for a device code as RFC 8628 proposes it: groups of consonants, such as `WDJB-MJHT`. */
export function isDeviceCode(token: Token | undefined): boolean {
  return token?.value.includes('-') === true && isUnspoken(token);
}

/**
 * Checks for capitals that the text also has in another case, or on a line that announces nothing: that happens to names, not to codes.
 */
export function isName({ value, at }: { value: string; at: number }, lines: Line[]): boolean {
  const searched = value.toLowerCase();
  return lines.some((line, other) => {
    if (line.text.includes(value)) return other !== at && !line.mayAnnounce && !line.isAlone;
    return line.lower.includes(searched);
  });
}

/** Checks for letters and digits that alternate, unlike in words and names. */
export function isScrambled({ value }: Token): boolean {
  return (value.match(/[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g)?.length ?? 0) >= 2;
}

/** Checks for a list of codes, such as recovery codes, under one announcement. */
export function isListed(lines: Line[], at: number): boolean {
  let first = at;
  while (first > Math.max(0, at - 20) && lines[first - 1]?.isAlone) first -= 1;
  return (
    (lines[first - 1]?.isAnnouncing ?? false) ||
    (!lines[first - 1]?.isAlone && (lines[first - 2]?.isAnnouncing ?? false))
  );
}
