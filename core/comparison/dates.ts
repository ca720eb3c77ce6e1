import { isWeekday } from './date-names.ts';
import { numberShapes, wordShapes } from './date-shapes.ts';

/** Number of characters examined before and after a candidate. */
const around = 40;
/** Places at which a date may start: a number, a word, or a copyright year. */
const starts =
  /(?<=(?:©|\(c\)|copyright)\s?)(?<copyright>\p{Nd}{4}(?:\s?[-–]\s?\p{Nd}{4})?)(?!\p{Nd})|(?<number>[\p{Nd}〇零一二三四五六七八九十]+)|[\p{L}\p{M}]+/giu;

/** Replaces dates and times with `mask`, together with an adjacent weekday. Takes linear time. */
export function maskDates(text: string, mask: () => string): string {
  if (!/[\p{Nd}月]/u.test(text)) return text;
  const pieces: string[] = [];
  let done = 0;
  starts.lastIndex = 0;
  for (let found = starts.exec(text); found !== null; found = starts.exec(text)) {
    const { index, groups = {} } = found;
    const end =
      groups.copyright === undefined ? endOf(text, index, groups.number !== undefined) : starts.lastIndex;
    if (end === null) continue;
    const before = text.slice(Math.max(done, index - around), index);
    pieces.push(text.slice(done, index - weekdayBefore(before)), mask());
    done = end + weekdayBehind(text.slice(end, end + around));
    starts.lastIndex = done;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

/** Returns the end of the date that starts at a place, or null if no date starts there. */
function endOf(text: string, at: number, isNumber: boolean): number | null {
  const before = text.slice(Math.max(0, at - around), at);
  for (const { pattern, holds } of isNumber ? numberShapes : wordShapes) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const end = pattern.lastIndex;
    if (holds(match.groups ?? {}, before, text.slice(end, end + around))) return end;
  }
  return null;
}

/** Returns the length of a weekday at the end of a string: `Thursday, `, `Donnerstag, den `, `Thứ Năm, ngày `. */
function weekdayBefore(text: string): number {
  const named = text.replace(/(?<=\s)(?:the|den|dem|le|el|il|dne|dnia|ngày)\s$/iu, '');
  const [, two = '', one = '', sign = ''] =
    /(?<![\p{L}\p{M}’'-])((?:\p{L}[\p{L}\p{M}]{0,10}\s)?(\p{L}[\p{L}\p{M}’'-]{0,20}))(\.?,?)\s$/u.exec(
      named,
    ) ?? [];
  const name = [two, one].find((words) => isWeekday(words, sign !== ''));
  return name === undefined ? 0 : text.length - named.lastIndexOf(name);
}

/** Returns the length of a weekday at the start of a string: ` (Thu)`, `（木）`, `, torsdag`. */
function weekdayBehind(text: string): number {
  const [whole = '', bracketed, word = ''] =
    /^(?:\s?[（(](\p{L}[\p{L}\p{M}’'-]{0,20})\.?[)）]|,?\s(\p{L}[\p{L}\p{M}’'-]{3,20})(?!\p{L}))/u.exec(
      text,
    ) ?? [];
  return isWeekday(bracketed ?? word, bracketed !== undefined) ? whole.length : 0;
}
