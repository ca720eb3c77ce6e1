import { digitValue } from '#core/extraction/code-signs.ts';
import { bare, type MonthName, monthNamed } from './date-names.ts';

/** Named groups of a match: a date's or time's numbers, and the word that may be a month. */
type Groups = Partial<Record<string, string>>;
/** Form of a date or time. The pattern allows any word and any number, so `holds` checks whether a match really is a date or time. */
export type DateShape = { pattern: RegExp; holds(groups: Groups, before: string, behind: string): boolean };

const two = '\\p{Nd}{1,2}(?!\\p{Nd})';
const year = '(?<year>\\p{Nd}{4})(?!\\p{Nd})';
const word = "(?<word>\\p{L}[\\p{L}\\p{M}.’']{0,19})";
const ordinal = '(?:st|nd|rd|th|er|re|e|o|[.ºª°]|-?го|-?е|:e|:a|η|ης)?(?![\\p{L}\\p{M}])';
/** Words between a day and its month, or between a month and its year. */
const linking = "(?:(?:de|del|di|do|da|of|den|от)\\s|d['’])?";

const zone =
  '(?:[+-]\\p{Nd}{2}:?\\p{Nd}{2}|(?:z|gmt|utc|ces?t|mes?z|ees?t|wes?t|[ecmp][sd]t|bst|ist|jst|kst|msk)(?!\\p{L})(?:[+-]\\p{Nd}{1,2}(?::?\\p{Nd}{2})?)?)(?: \\([a-z ]{2,30}\\))?';
const noon = '(?:午前|午後|오전|오후|上午|下午)\\s?';
const half = '\\s?[ap]\\.?m(?!\\p{L})\\.?';
const hour = '(?<hour>\\p{Nd}{1,2})';
const minute = '(?<minute>\\p{Nd}{2})(?!\\p{Nd})';
/** Times: `21:00:56.123 +0000 (UTC)`, `9 pm`, `14h30`, `14.30 Uhr`, `午後3時45分`. */
const clock = `(?:${[
  `(?:${noon})?${hour}:${minute}(?::\\p{Nd}{2}(?:[.,]\\p{Nd}{1,9})?)?(?!:?\\p{Nd})(?:${half}|\\sUhr(?!\\p{L}))?(?:\\s?${zone})?`,
  `${hour}${half}(?:\\s?${zone})?`,
  `${hour}\\s?h\\s?${minute}`,
  `${hour}(?:\\.${minute})?\\sUhr(?!\\p{L})`,
  `(?:${noon}${hour}[時点點시]|${hour}(?:時(?!間)|시(?!간)|[点點](?=\\p{Nd})))(?:\\s?\\p{Nd}{1,2}[分분])?`,
].join('|')})`;
const timeBehind = `(?:(?:,?\\s|t)${clock})?`;

const number = '(?:\\p{Nd}{1,4}|[〇零一二三四五六七八九十]{1,4})';
const weekdayBehind =
  '(?:\\s?[（(][\\p{L}・]{1,3}[)）]|[日月火水木金土]曜日?|(?:星期|周|週)[一二三四五六日天]|\\s?[일월화수목금토]요일)?';

const shape = (pattern: string, holds: DateShape['holds']): DateShape => {
  return { pattern: new RegExp(pattern, 'iuy'), holds };
};
const isTime = ({ hour = '0', minute = '0' }: Groups) => numberOf(hour) <= 24 && numberOf(minute) <= 59;

/** Forms that start with a number, in the order in which they are tried: longest first. */
export const numberShapes: DateShape[] = [
  // 2026-11-26T21:00:56Z, 2026/11/26, 2026. 11. 26.
  shape(
    `${year}(?:[-/]|\\.\\s?)(?<month>${two})(?:[-/]|\\.\\s?)(?<day>${two})(?![-/.]\\p{Nd})${timeBehind}`,
    (groups, before) => isApart(before) && isDay(groups.day, groups.month) && isTime(groups),
  ),
  // 20261126T101530Z
  shape(
    '(?<year>(?:19|20)\\p{Nd}{2})(?<month>\\p{Nd}{2})(?<day>\\p{Nd}{2})(?:t\\p{Nd}{4,6}z?)?(?![\\p{L}\\p{Nd}])',
    ({ day, month }, before) => isApart(before) && !/\p{L}$/u.test(before) && isDay(day, month),
  ),
  // 26/11/2026, 26. 11. 2026, 11/26/26
  shape(
    `(?<first>${two})(?<sign>[./-])\\s?(?<second>${two})\\k<sign>\\s?(?:${year}|\\p{Nd}{2}(?!\\p{Nd}))(?![./-]\\p{Nd})${timeBehind}`,
    ({ first, sign, second, year, ...time }, before) =>
      isApart(before) &&
      !/[a-z]$/i.test(before) &&
      (sign !== '-' || year !== undefined) &&
      (isDay(first, second) || isDay(second, first)) &&
      isTime(time),
  ),
  // 2026年11月26日（木）10時00分, 11월 26일, 二〇二六年十一月二十六日
  shape(
    `(?:${number}\\s?[年년]\\s?)?(?<month>${number})\\s?[月월]\\s?(?<day>${number})\\s?[日号號일]${weekdayBehind}(?:\\s?${clock})?`,
    ({ day, month, ...time }) => isDay(day, month) && isTime(time),
  ),
  shape(`${number}\\s?[年년]\\s?(?<month>${number})\\s?[月월]`, ({ month }) => isDay('1', month)),
  // 26 tháng 11 năm 2026
  shape(
    `(?<day>${two}),?\\s(?:tháng|thg)\\s(?<month>${two})(?:,?\\s(?:năm\\s)?${year})?${timeBehind}`,
    ({ day, month, ...time }) => isDay(day, month) && isTime(time),
  ),
  // 26 November 2026, 26. Nov., 24–26 de noviembre de 2026, 26-Nov-2026
  shape(
    `(?:\\p{Nd}{4}\\.\\sgada\\s)?(?:${two}${ordinal}\\s?[-–—]\\s?)?(?<day>${two})${ordinal}[\\s/-]{1,2}${linking}${word}(?:,?[\\s/-]{1,2}${linking}${year})?${timeBehind}`,
    ({ day, word = '', year, ...time }, before, behind) =>
      isApart(before) &&
      isTime(time) &&
      hasMonth(word, day, (name, text) =>
        year === undefined ? isMonthAlone(name, text, before, behind) : isYear(year),
      ),
  ),
  // 2026. november 26., 2026 m. lapkričio 26 d.
  shape(
    `${year}(?:\\.|\\s?m\\.|\\(?e?\\)?ko)?\\s${word}\\s(?<day>${two})(?:\\.|\\sd\\.)?${timeBehind}`,
    ({ day, word = '', ...time }) => isTime(time) && hasMonth(word, day, ({ first }) => first),
  ),
  shape(clock, (groups, before) => isApart(before) && isTime(groups)),
];

/** Forms that start with a word. */
export const wordShapes: DateShape[] = [
  // November 26th, 2026, Nov 24-26, Nov 26 10:15:30 2026
  shape(
    `${word}\\s(?:the\\s)?(?<day>${two})(?:st|nd|rd|th|\\.)?(?:\\s?[-–—]\\s?${two}(?:st|nd|rd|th)?)?(?![\\p{L}%]|[.,:]?\\p{Nd})(?:,?\\s${linking}${year}(?!:))?${timeBehind}(?:\\s(?<last>\\p{Nd}{4})(?!\\p{Nd}))?`,
    ({ day, word = '', year, last, ...time }, _, behind) =>
      isTime(time) &&
      hasMonth(word, day, (name, text) =>
        (year ?? last) === undefined
          ? name.first && isWritten(name, text) && !/^-\p{L}/u.test(behind)
          : isYear(year ?? last),
      ),
  ),
  // November 2026, noviembre de 2026
  shape(
    `${word},?\\s${linking}(?:จ\\.ศ\\.\\s)?${year}`,
    ({ word = '', year }, before) =>
      // A number directly before is a day that the month does not have: a valid day would have matched above.
      !/\p{Nd}[.\p{L}]{0,3}\s(?:de\s)?$/u.test(before) && isYear(year) && hasMonth(word, '1', isWritten),
  ),
  shape(`${noon}${clock}`, (groups) => isTime(groups)),
];

/** Days per month. February has 29. */
const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const monthLength = (month: number) => lengths[month] ?? 0;

/** Parses the digits of any script. Returns NaN for Chinese numerals. */
function numberOf(digits: string): number {
  if (/[〇零一二三四五六七八九十]/.test(digits)) return Number.NaN;
  return Array.from(digits).reduce((value, digit) => value * 10 + digitValue(digit.codePointAt(0) ?? 0), 0);
}

function isDay(day = '', month = ''): boolean {
  const [at, of] = [numberOf(day), numberOf(month)];
  if (Number.isNaN(at) || Number.isNaN(of)) return true;
  return at >= 1 && of >= 1 && at <= monthLength(of - 1);
}

/** Checks for a year, including years of the Buddhist and Persian calendars. */
function isYear(year = ''): boolean {
  const value = numberOf(year);
  return (
    (value >= 1900 && value < 2200) || (value >= 2443 && value < 2743) || (value >= 1300 && value < 1500)
  );
}

/** Checks that the match is not the continuation of a number: `1.2.3.4` and `10:20:30:40` are not dates. */
function isApart(before: string): boolean {
  return !/\p{Nd}[.,:/-]?$/u.test(before);
}

/** Checks whether a word names a month that has the day. The word may carry a suffix of its language, or end a sentence. */
function hasMonth(word: string, day = '', allows: (name: MonthName, text: string) => boolean): boolean {
  const texts = /[.’']/.test(word) ? [word, word.replace(/[.’'].*$/su, '')] : [word];
  for (const text of texts) {
    const found = monthNamed(bare(text));
    if (found === undefined || !allows(found, text)) continue;
    const at = numberOf(day);
    if ([...found.months].some((month) => at >= 1 && at <= monthLength(month))) return true;
  }
  return false;
}

/** Abbreviations that are also words in other languages. */
const words = new Set('out set ago mar may sun mac lis gen ara mai mag ott des tam tem'.split(' '));

/** Checks for a month name that is unambiguous without a year next to it: written in full, or abbreviated as is usual in its language. */
function isWritten({ long, english }: MonthName, text: string): boolean {
  if (english && /^\p{Lu}/u.test(text)) return true;
  return !words.has(bare(text)) && (long || text.endsWith('.'));
}

/** Checks whether a month that follows its day is a date even without a year. `3 May orders` contains no date. */
function isMonthAlone(name: MonthName, text: string, before: string, behind: string): boolean {
  if (!isWritten(name, text) || /^-\p{L}/u.test(behind)) return false;
  if (bare(text) !== 'may') return true;
  return (
    !/^\s\p{L}{4}/u.test(behind) ||
    /(?:[,(]|\b(?:on|by|till?|until|from|since|before|after|and|to))\s?$/i.test(before)
  );
}
