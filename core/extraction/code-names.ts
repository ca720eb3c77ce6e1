import type { Announcement, LineOfWords, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';
import { namesNoSecret } from './code-words.ts';

/** Words between a name and its number, as in `ending in 4829`. */
const namingWords = /^(?:in|on|mit|auf|en|con|par|na|med|på|[0-9])$/;

/** Tests for a number that another word names: `order 48213`. Ask `Line.isNamed`, which keeps the answers. */
export function isNamed(line: LineOfWords, place: number): boolean {
  const { tokens, text } = line;
  let numeral = false;
  let id = false;
  let linked = tokens[place]?.colon ?? false;
  for (let at = place - 1; at >= Math.max(0, place - 5); at -= 1) {
    const [token, next] = [tokens[at], tokens[at + 1]];
    if (token === undefined || next === undefined || next.breaks || line.announcement(at)) return false;
    if (/[,;，、]/.test(text.slice(token.end, next.start).slice(0, 8))) return id;
    if (token.kinds & kind.named) return numeral || !linked || !isAnnouncedBefore(line, at);
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

/** Tests for an announcement before a word in its sentence, without another number between. */
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
 * Tests for a number that its text calls old, before the announcement (`the earlier code 111222`, `code précédent 111222`)
 * or behind the number (`the code 1430 expired`), and for a number in a quotation.
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
      return [tokens[at - 1], tokens[at - 1]?.breaks ? undefined : tokens[at - 2], tokens[at + 1]].some(
        (token) => token !== undefined && old.test(token.word),
      );
  }
  return false;
}

/** Tests for a US postal code behind its state: `CA 94105`. */
export function isZipCode(tokens: Token[], place: number): boolean {
  const [before, token] = [tokens[place - 1], tokens[place]];
  return before !== undefined && /^[0-9]{5}$/.test(token?.value ?? '') && /^[A-Z]{2}$/.test(before.value);
}

/** Tests for the second half of a British postal code, which reads as a word for a code in `EC2A 2FA`. */
export function isInwardCode(tokens: Token[], place: number): boolean {
  const [before, token] = [tokens[place - 1], tokens[place]];
  return /^[0-9][A-Z]{2}$/.test(token?.value ?? '') && /^[A-Z]{1,2}[0-9][A-Z0-9]?$/.test(before?.value ?? '');
}

/** Tests for the key of a ticket, as of Jira: `ACME-20481`. */
export function isTicket(token: Token | undefined): boolean {
  return /^[A-Z]{2,10}-[0-9]+$/.test(token?.value ?? '');
}

/** Tests for a number that stands for others, or in a program: `codes like 123456`, `const code = '123456'`. */
export function isExample(tokens: Token[], place: number): boolean {
  const [last, before] = [tokens[place - 1]?.word ?? '', tokens[place - 2]?.word];
  if (tokens[place]?.breaks) return false;
  return (
    /^(?:like|eg|example|instance|ejemplo|exemple|esempio|exemplo|beispiel|beispielsweise|bijvoorbeeld|например)$/.test(
      last,
    ) ||
    /^(?:const|let|var|val|string|int)$/.test(before ?? '') ||
    (before === 'such' && last === 'as') ||
    (before === 'e' && last === 'g') ||
    (before === 'z' && last === 'b')
  );
}

/** Tests for the subject of an answer. */
export function isReply({ text }: LineOfWords): boolean {
  return /(?:^|\])\s{0,9}(?:re|aw|sv|vs|antw|odp)\s?:/i.test(text.slice(0, 200));
}

/** Tests for a quantity (`5000 points`), or a number that a word behind it names. */
export function isQuantity(tokens: Token[], place: number): boolean {
  const [token, next] = [tokens[place], tokens[place + 1]];
  if (token === undefined || next === undefined || next.breaks || next.colon || next.apart) return false;
  // Short units of scripts without blanks stand right behind the number.
  if (next.word.length === 1 && next.word > '\u3000' && next.start > token.end) return false;
  return (next.kinds & kind.unit) !== 0;
}

/** Subjects of bookings, whose confirmation has a code that nobody types to sign in. */
const journey =
  /reservation|reservierung|booking(?!\.com)|itinerary|flight|\btrip\b|\bstay\b|rental|hotel|buchung|\breise|\bflug|réservation|\bvoyage|\bvol\b|reserva\b|\bviaje|\bvuelo|prenotazione|\bviaggio|\bvolo\b|boeking|\breis\b|bokning|rezerwac|rezervac|бронир|予約|预订|預訂|예약/i;

/**
 * Tests for the number of a customer or a receipt: nine digits or more without a sign between and without an announcement
 * of a one-time code, or another value than four to six digits behind the label of an unknown thing.
 */
export function isReference(
  { word, value, shape }: Token,
  { by, on }: { by: Announcement | null; on: LineOfWords },
  subject: LineOfWords,
): boolean {
  if (by?.strength === 'unsure') return !/^[0-9]{4,6}$/.test(value);
  if (shape !== 'digits' && by !== null && isConfirmed(on, by.at) && journey.test(subject.text)) return true;
  if (shape !== 'digits' || by?.strength === 'strong' || !/^[0-9]{9}/.test(word)) return false;
  return !subject.announcements.some(({ strength }) => strength === 'strong');
}

/** Tests for the announcement of a confirmation, which is of a booking or of an address: `Confirmation code`. */
function isConfirmed({ tokens }: LineOfWords, at: number): boolean {
  return [at - 1, at, at + 1, at + 2].some((place) => namesNoSecret(tokens[place]?.word ?? ''));
}

/** Tests for a postal code behind a comma and before its town: `3e étage, 75011 Paris`. */
export function isPostal({ text, tokens }: LineOfWords, place: number): boolean {
  const [before, token, town] = [tokens[place - 1], tokens[place], tokens[place + 1]];
  if (before === undefined || token === undefined || town === undefined || town.breaks || town.apart)
    return false;
  const gap = text.slice(before.end, token.start).trim();
  return (
    gap === ',' &&
    /^[0-9]{4,5}$/.test(token.value) &&
    /^\p{Lu}\p{Ll}{2}/u.test(text.slice(town.start, town.end))
  );
}

/** Tests for `code` without an article, which may be one of programs. */
export function isBareCode(tokens: Token[], at: number): boolean {
  if (tokens[at]?.word !== 'code' || (tokens[at - 1]?.kinds ?? 0) & kind.filler) return false;
  return tokens[at - 2]?.word !== 'your';
}

/** Tests for a year. */
export function isYear(token: Token | undefined): boolean {
  return token !== undefined && /^(?:19|20)[0-9]{2}$/.test(token.value);
}

/** Tests for an announcement in Polish, Finnish or Estonian, which have `to` or `on` for `is`. */
export function isVerbOf(verb: 'to' | 'on', { word }: Token): boolean {
  return (verb === 'to' ? /^(?:kod|has)/ : /kood/).test(word);
}
