import { announcementNear, beforeAnnouncement, behindAnnouncement, reach } from './code-announcements.ts';
import {
  endsRequest,
  headingOf,
  isDeviceCode,
  isListed,
  isLoneWord,
  isOpen,
  isScrambled,
  isUnpronounceable,
  isYear,
} from './code-letters.ts';
import type { Line } from './code-lines.ts';
import { isExample, isIssueKey, isRetired, isZipCode } from './code-names.ts';
import { isReference } from './code-purposes.ts';
import { announcedBefore, behindSentence, endsWithName, isNoSentenceBelow } from './code-sentences.ts';
import type { Announcement, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';

/** Confidence that a word is a code. Only a message's highest-ranking codes count. */
export const rank = {
  /** Code that follows its announcement, is alone below it, or precedes it with a verb. */
  certain: 6,
  /** Like `certain`, but the word may be a brand: letters and digits without a colon or verb. */
  adjacent: 5,
  /** Code that precedes its announcement. */
  before: 4,
  /** Capitals that follow a colon or a verb. */
  letters: 3,
  /** Digits in a sentence that has an announcement, or alone on a line below an announcement. */
  near: 2,
  /** Capitals that are alone on a line below an announcement. */
  lettersAlone: 1,
  /** Code that the text calls old, or quotes. */
  retired: 0.5,
  none: 0,
};

/** Text lines, the index of a word's line, and the message's subject. */
export type Surroundings = { lines: Line[]; at: number; subject: Line };

type Finding = { rank: number; by: Announcement | null; on: Line };
const nothing = (on: Line): Finding => ({ rank: rank.none, by: null, on });

/** Returns a word's rank as a code. */
export function rankOf(place: number, around: Surroundings): number {
  const { lines, at } = around;
  const line = lines[at];
  const token = line?.tokens[place];
  if (line === undefined || token === undefined || token.shape === null) return rank.none;
  if (
    line.announcement(place) ||
    isZipCode(line.tokens, place) ||
    isExample(line.tokens, place) ||
    line.isNamed(place)
  )
    return rank.none;
  const found = [
    beside(line, place),
    alone(token, around),
    first(token, place, around),
    below(token, around),
    use(line, place),
    near(line, place),
    behind(line, place, lines[at - 1], around.subject),
  ];
  const best = found.reduce((best, next) => (next.rank > best.rank ? next : best));
  if (best.rank === rank.none) return rank.none;
  if (isReference(token, best, around.subject)) return rank.none;
  if (isOffer(best, token, place, around)) return rank.none;
  return token.shape !== 'letters' && isRetired(line, place) ? rank.retired : best.rank;
}

/** Ranks a word that has an announcement next to it on its line. */
function beside(line: Line, place: number): Finding {
  const behind = behindAnnouncement(line, place);
  const token = line.tokens[place];
  const shape = token?.shape;
  if (behind !== null) {
    const { by, linked } = behind;
    const found = (rank: number) => ({ rank, by, on: line });
    if (shape === 'digits' || shape === 'date') {
      if (by.strength === 'weak') return linked && shape === 'digits' ? found(rank.before) : nothing(line);
      const named = (line.tokens[place - 1]?.kinds ?? 0) & kind.named;
      return found(named ? rank.before : rank.certain);
    }
    if (by.strength === 'weak') return nothing(line);
    if (shape !== 'letters') return found(linked ? rank.certain : rank.adjacent);
    return (linked || isDeviceCode(token)) && isLoneWord(line, place) ? found(rank.letters) : nothing(line);
  }
  if (shape === 'letters' || shape === 'date') return nothing(line);
  const before = beforeAnnouncement(line, place);
  if (before === null) return nothing(line);
  if (before.by.strength === 'weak' && (!before.linked || shape !== 'digits')) return nothing(line);
  if (!before.linked && (shape === 'anyCase' || isYear(token) || (token && isIssueKey(token))))
    return nothing(line);
  const certain = before.linked && before.by.strength !== 'weak';
  return { rank: certain ? rank.certain : rank.before, by: before.by, on: line };
}

/** Ranks a word that is alone on its line. */
function alone(token: Token, { lines, at, subject }: Surroundings): Finding {
  const [line, above, twoAbove, below] = [lines[at], lines[at - 1], lines[at - 2], lines[at + 1]];
  if (line === undefined || !line.isAlone) return nothing(subject);
  if (above !== undefined && above.announcements.length === 0 && endsWithName(above)) return nothing(line);
  const under = (on: Line, rank: number): Finding => ({ rank, by: on.announcements.at(-1) ?? null, on });
  const announcing = above?.isAnnouncing
    ? above
    : !above?.isAlone && twoAbove?.isAnnouncing
      ? twoAbove
      : null;
  if (token.shape === 'letters') {
    const isDated = announcing?.tokens.some(isYear);
    const introduces = announcing && !isDated && (isOpen(announcing) || isUnpronounceable(token));
    return introduces && isLoneWord(line, 0) ? under(announcing, rank.lettersAlone) : nothing(line);
  }
  const year = isYear(token) || token.shape === 'date';
  if (announcing !== null && (!year || announcing === above))
    return under(announcing, token.shape === 'anyCase' ? rank.adjacent : rank.certain);
  if (year) return nothing(line);
  if (above?.isAlone && above.tokens[0]?.value.length === token.value.length && isListed(lines, at))
    return under(above, rank.certain);
  if (below?.isAnnouncing && !below.isPromotional) {
    const verb = (below.tokens[0]?.kinds ?? 0) & kind.link;
    return under(below, verb ? rank.certain : rank.before);
  }
  if (token.shape === 'anyCase') return nothing(line);
  if (subject.isAnnouncing) return under(subject, rank.before);
  if (token.shape !== 'digits') return nothing(line);
  for (let near = at - 3; near >= Math.max(0, at - reach); near -= 1) {
    const on = lines[near];
    if (on?.isAnnouncing && on.announcements.some(({ strength }) => strength === 'strong'))
      return under(on, rank.near);
  }
  return nothing(line);
}

/** Ranks the first word of a line if the line above announces a code and ends with a colon, a verb or the announcement. */
function first(token: Token, place: number, { lines, at, subject }: Surroundings): Finding {
  const [above, last] = [lines[at - 1], lines[at - 1]?.tokens.at(-1)];
  if (place !== 0 || !above?.isAnnouncing || last === undefined || token.shape === 'letters')
    return nothing(subject);
  const linked = above.endsWithColon || (last.kinds & kind.link) !== 0;
  if (!linked && !above.announcement(above.tokens.length - 1)) return nothing(above);
  if (!linked && (token.shape !== 'digits' || isYear(token) || isNoSentenceBelow(above, lines[at])))
    return nothing(above);
  return { rank: linked ? rank.certain : rank.near, by: above.announcements.at(-1) ?? null, on: above };
}

/** Ranks a table row's only digits, below headings that announce a one-time code. */
function below({ shape }: Token, { lines, at, subject }: Surroundings): Finding {
  const on = lines[at - 1];
  const by = shape === 'digits' ? headingOf(lines[at], on, subject) : undefined;
  return on && by ? { rank: rank.near, by, on } : nothing(subject);
}

/** Ranks digits that the text asks the reader to type (`Use 4829`), and letters with digits, or `G-482913`, right after the verb. */
function use(line: Line, place: number): Finding {
  const token = line.tokens[place];
  if (token === undefined || isYear(token) || !line.mayAskForCode) return nothing(line);
  if (token.value.replaceAll('-', '').length > 8) return nothing(line);
  const mixed = (isScrambled(token) || /^[A-Z]-[0-9]{4,8}$/.test(token.value)) && !line.isPromotional;
  if (token.shape !== 'digits' && !mixed) return nothing(line);
  let [used, acts] = [false, announcedBefore(line, place) !== null];
  const look = (step: 1 | -1) => {
    for (let distance = 1; distance <= 2 * reach; distance += 1) {
      const at = place + step * distance;
      const word = line.tokens[at];
      if (word === undefined || line.tokens[step === 1 ? at : at + 1]?.breaks) return;
      if (distance <= (mixed ? 1 : token.colon && step < 0 ? 2 * reach : 4) && word.kinds & kind.use)
        used = true;
      if (word.kinds & kind.action || line.announcement(at)?.strength === 'strong') acts = true;
    }
  };
  look(-1);
  look(1);
  return used && acts ? { rank: rank.before, by: null, on: line } : nothing(line);
}

/** Ranks digits, or the end of a request, that are within a few words of an announcement in the same sentence. */
function near(line: Line, place: number): Finding {
  const { tokens } = line;
  const token = tokens[place];
  if (token === undefined || isYear(token) || (tokens[place - 1]?.kinds ?? 0) & kind.numeral)
    return nothing(line);
  const isTyped = token.shape === 'digits' || /^[A-Z]{1,3}-[0-9]{4,8}$/.test(token.value);
  if (!isTyped && !endsRequest(line, place)) return nothing(line);
  if ((tokens[place - 2]?.kinds ?? 0) & kind.named) return nothing(line);
  const by =
    announcementNear(line, place, -1) ?? (isIssueKey(token) ? null : announcementNear(line, place, 1));
  return by === null ? nothing(line) : { rank: rank.near, by, on: line };
}

/** Ranks a code in the sentence after the one that announces it. */
function behind(line: Line, place: number, above: Line | undefined, subject: Line): Finding {
  const found = behindSentence(line, place, above, subject);
  return found === null ? nothing(line) : { rank: rank.near, ...found };
}

/** Checks for a promotion or meeting code: it is only announced as a code, and near words that promotions or meetings use. */
function isOffer(
  { by, on }: Finding,
  token: Token,
  place: number,
  { lines, at, subject }: Surroundings,
): boolean {
  if (by === null || by.strength === 'strong') return false;
  if (lines.slice(Math.max(0, at - 3), at + 2).some((near) => near.isMeeting)) return true;
  if (subject.isPromotional || lines[at]?.isOffer(place) || on.isOffer(by.at)) return true;
  const around =
    token.shape === 'digits'
      ? lines.slice(Math.max(0, at - 2), at)
      : lines.slice(Math.max(0, at - 4), at + 4);
  return around.some((line) => line.isPromotional);
}
