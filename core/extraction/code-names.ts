import type { LineOfWords, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';
import { namesNoSecret } from './code-words.ts';

/** Words between a name and its number, as in `ending in 4829`. */
const namingWords = /^(?:in|on|mit|auf|en|con|par|na|med|på|[0-9])$/;

/** Checks for a number named by another word: `order 48213`. Call `Line.isNamed` instead, which caches the result. */
export function isNamed(line: LineOfWords, place: number): boolean {
  if (isQuantity(line, place)) return true;
  const { tokens, text } = line;
  let numeral = false;
  let id = false;
  let linked = tokens[place]?.colon ?? false;
  for (let at = place - 1; at >= Math.max(0, place - 5); at -= 1) {
    const [token, next] = [tokens[at], tokens[at + 1]];
    if (token === undefined || next === undefined || next.breaks || line.announcement(at)) return false;
    if (/[,;，、]/.test(text.slice(token.end, next.start).slice(0, 8))) return id;
    // `Your OTP (Ref: 4471) is 660913`
    const opens = '(['.includes(text.charAt(token.start - 1) || ' ');
    if (token.kinds & kind.named) return numeral || opens || !linked || !isAnnouncedBefore(line, at);
    if (at === place - 1 && !linked && token.kinds & kind.other) return true;
    if (token.kinds & kind.numeral) {
      numeral = true;
      id ||= namesNoSecret(token.word);
    } else if (token.kinds & kind.link) linked = true;
    else if (!(token.kinds & (kind.filler | kind.joiner)) && !namingWords.test(token.word)) return id;
    linked ||= token.colon;
  }
  return id;
}

/** Checks whether an announcement precedes a word in its sentence, with no other number in between. */
function isAnnouncedBefore(line: LineOfWords, place: number): boolean {
  for (let at = place; at >= Math.max(0, place - 12); at -= 1) {
    const token = line.tokens[at];
    if (line.announcement(at)) return true;
    if (token === undefined || token.breaks || token.shape === 'digits') return false;
  }
  return false;
}

const old =
  /^(?:earlier|previous|old|former|expired|früher|vorherig|vorig|bisherig|alte[nrs]?$|ancien|précédent|anterior|precedent|vecchi|oude$|eerder|poprzedni|stary|önceki|eski|предыдущ|прежн|стар(?:ый|ого)$|попередн|föregående|gaml|forrige|tidligere|předchozí|edellinen)/;

/**
 * Checks for a number that the text calls old, either before the announcement (`the earlier code 111222`, `code précédent 111222`) or
 * after the number (`the code 1430 expired`), and for a number in a quotation.
 */
export function isRetired(line: LineOfWords, place: number): boolean {
  if (line.text.slice(0, 4).trimStart().startsWith('>')) return true;
  const { tokens } = line;
  const [next, last] = [tokens[place + 1], tokens[place + 2]];
  if (next !== undefined && !next.breaks && !next.apart) {
    if (/^(?:expired|abgelaufen)$/.test(next.word)) return true;
    const verb = last !== undefined && !last.breaks && !last.apart ? `${next.word} ${last.word}` : '';
    if (/^(?:no longer|has expired|is expired|ist abgelaufen|a expiré|ha caducado|è scaduto)$/.test(verb))
      return true;
  }
  for (let at = place - 1; at >= Math.max(0, place - 4) && !tokens[at + 1]?.breaks; at -= 1) {
    if (line.announcement(at))
      return [tokens[at - 1], tokens[at + 1]].some((token) => token !== undefined && old.test(token.word));
  }
  return false;
}

/** Checks for a US ZIP code that follows its state: `CA 94105`. */
export function isZipCode(tokens: Token[], place: number): boolean {
  const [before, token] = [tokens[place - 1], tokens[place]];
  return before !== undefined && /^[0-9]{5}$/.test(token?.value ?? '') && /^[A-Z]{2}$/.test(before.value);
}

/** Checks for the second half of a British postal code. In `EC2A 2FA`, it reads like a word that announces a code. */
export function isInwardCode(tokens: Token[], place: number): boolean {
  const [before, token] = [tokens[place - 1], tokens[place]];
  return /^[0-9][A-Z]{2}$/.test(token?.value ?? '') && /^[A-Z]{1,2}[0-9][A-Z0-9]?$/.test(before?.value ?? '');
}

/** Checks for the key of an issue: `ACME-4817: login code is not accepted`. */
export function isIssueKey({ value }: Token): boolean {
  return /^[A-Z]{2,10}-[0-9]{1,5}$/.test(value);
}

/** Checks for a number that is part of an example or of source code: `codes like 123456`, `const code = '123456'`. */
export function isExample(tokens: Token[], place: number): boolean {
  const [token, last, before] = [tokens[place], tokens[place - 1], tokens[place - 2]];
  if (token === undefined || last === undefined || token.breaks) return false;
  const isDeclared = before !== undefined && /^(?:const|let|var|val|string|int)$/.test(before.value);
  if (isDeclared && token.colon && last.word === 'code') return true;
  return !token.colon && (last.word === 'like' || (last.word === 'as' && before?.word === 'such'));
}

/** Checks for the word `code` without an article, which may mean source code. */
export function isBareCode(tokens: Token[], at: number): boolean {
  return tokens[at]?.word === 'code' && !((tokens[at - 1]?.kinds ?? 0) & kind.filler);
}

/** Checks for a quantity (`5000 points`), or a number named by a word after it. */
function isQuantity(line: LineOfWords, place: number): boolean {
  const [token, next] = [line.tokens[place], line.tokens[place + 1]];
  if (token === undefined || next === undefined || next.breaks || next.colon || next.apart) return false;
  // In scripts without spaces, short units directly follow the number.
  if (next.word.length === 1 && next.word > '\u3000' && next.start > token.end) return false;
  return (next.kinds & kind.unit) !== 0;
}
