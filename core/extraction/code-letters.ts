import type { Line } from './code-lines.ts';
import type { Announcement, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';
import { isNotice, pointsBelow } from './code-words.ts';

/** Checks for capitals that end their sentence and are not a known word. */
export function isLoneWord({ tokens }: Line, place: number): boolean {
  const [token, next] = [tokens[place], tokens[place + 1]];
  if (token === undefined || isNotice(token.value) || token.kinds !== 0) return false;
  return next === undefined || next.breaks || next.apart || !/^\p{Lu}{2}/u.test(next.value);
}

/** Checks for a line that a code may follow: one that does not end a sentence, or that contains a word such as `below`. */
export function isOpen({ text }: Line): boolean {
  return !/[.!?。！？]\s*$/.test(text.slice(-8)) || pointsBelow(text);
}

/** Checks for capitals that are not a word in any of the languages. */
export function isUnpronounceable({ value }: Token): boolean {
  return value.length >= 5 && !/[AEIOUY]/.test(value);
}

/** Checks for a device code in the form that RFC 8628 proposes: groups of consonants, such as `WDJB-MJHT`. */
export function isDeviceCode(token: Token | undefined): boolean {
  return token?.value.includes('-') === true && isUnpronounceable(token);
}

/**
 * Checks for capitals that the text also contains in another case, or that are on a line that does not announce a code. Both are typical
 * of names, not of codes.
 */
export function isName({ value, at }: { value: string; at: number }, lines: Line[]): boolean {
  const searched = value.toLowerCase();
  return lines.some((line, other) => {
    if (line.text.includes(value)) return other !== at && !line.mayAnnounce && !line.isAlone;
    return line.lower.includes(searched);
  });
}

/** Checks for letters and digits that alternate in a way that words and names do not. */
export function isScrambled({ value }: Token): boolean {
  return (value.match(/[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g)?.length ?? 0) >= 2;
}

/** Checks for capitals and digits that end a sentence that asks the reader to type something: `Use this code to go on 7K2QX4`. */
export function endsRequest({ tokens, isPromotional }: Line, place: number): boolean {
  const [token, next] = [tokens[place], tokens[place + 1]];
  if (token === undefined || isPromotional || (next !== undefined && !next.breaks)) return false;
  if (!/^[A-Z0-9]{5,8}$/.test(token.value) || !isScrambled(token)) return false;
  for (let at = place; at > 0 && !tokens[at]?.breaks; at -= 1) {
    if ((tokens[at - 1]?.kinds ?? 0) & kind.use) return true;
  }
  return false;
}

export function isYear(token: Token | undefined): boolean {
  return token !== undefined && /^(?:19|20)[0-9]{2}$/.test(token.value);
}

/** Checks for a list of codes under one announcement, such as recovery codes. */
export function isListed(lines: Line[], at: number): boolean {
  let first = at;
  while (first > Math.max(0, at - 20) && lines[first - 1]?.isAlone) first -= 1;
  return (
    (lines[first - 1]?.isAnnouncing ?? false) ||
    (!lines[first - 1]?.isAlone && (lines[first - 2]?.isAnnouncing ?? false))
  );
}

/** Returns the announcement among a table's headings if a row below them contains exactly one number that may be a code. */
export function headingOf(row?: Line, above?: Line, subject?: Line): Announcement | undefined {
  const titles = above?.tokens.length ?? 0;
  if (row === undefined || titles < 2 || titles > 8 || row.tokens.length < 2 || row.tokens.length > 16)
    return;
  if (
    !above?.isAnnouncing ||
    above.endsWithColon ||
    above.tokens.some(({ colon, breaks }) => colon || breaks)
  )
    return;
  const numbers = row.tokens.filter(({ shape }) => shape === 'digits');
  if (numbers.length > 1 || numbers[0]?.colon) return;
  const isSecure = subject?.tokens.some(({ kinds }) => kinds & kind.secure);
  return above.announcements.find(({ strength }) => strength === 'strong' || isSecure);
}
