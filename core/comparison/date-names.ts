/** Languages whose month and weekday names are recognized: those in which codes are found, and neighboring languages. */
const languages =
  'en de de-AT fr es pt pt-PT it nl pl ru uk be bg cs sk sl hr sr sr-Latn bs mk hu ro el tr az sv da nb nn fi et lv lt is ga cy ca gl eu mt sq hy ka he ar ar-SY fa ur hi bn ta te mr gu pa th vi id ms fil sw af kk uz ja ko zh'.split(
    ' ',
  );

/**
 * Month that a name denotes. `months`: 0 to 11; several if languages disagree, as on `listopad`. `first`: a language writes the month
 * before the day.
 */
export type MonthName = { months: Set<number>; long: boolean; english: boolean; first: boolean };
type Naming = { month: number; long: boolean; english: boolean; first: boolean };

/** Names in lower case, without a final period. */
type DateNames = {
  months: Map<string, MonthName>;
  stems: Map<string, string>;
  weekdays: { long: Set<string>; short: Set<string> };
};

/** Number of initial letters that the inflected forms of a longer name share. */
const stemLetters = 6;
/** Maximum number of letters that an inflection adds to a name. */
const inflectionLetters = 2;

let names: DateNames | undefined;

/**
 * Month and weekday names, long and short, in their basic form and as inflected next to a day or a year. The names come from the platform
 * (Unicode CLDR). Listing them takes 0.2 s, once.
 */
function dateNames(): DateNames {
  names ??= readNames();
  return names;
}

/** Returns the month that a lower-case name denotes. Recognizes inflected forms that the platform does not list, such as `novembril`. */
export function monthNamed(name: string): MonthName | undefined {
  const { months, stems } = dateNames();
  // Hebrew writes a preposition and its noun as a single word.
  const known = months.get(name) ?? (name.startsWith('ב') ? months.get(name.slice(1)) : undefined);
  if (known !== undefined || name.length <= stemLetters) return known;
  const full = stems.get(name.slice(0, stemLetters));
  return full !== undefined && name.length <= full.length + inflectionLetters ? months.get(full) : undefined;
}

/**
 * Checks for a weekday's name. Abbreviations such as `to` and `or` are words in other languages, so they count only next to punctuation
 * (`marked`). Capitalized English abbreviations always count.
 */
export function isWeekday(name: string, marked: boolean): boolean {
  const { long, short } = dateNames().weekdays;
  return (
    long.has(bare(name)) ||
    (short.has(bare(name)) && (marked || /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(name)))
  );
}

function readNames(): DateNames {
  const months: DateNames['months'] = new Map();
  const weekdays: DateNames['weekdays'] = { long: new Set(), short: new Set() };
  for (const language of languages) {
    for (const style of ['long', 'short'] as const) {
      const addAll = (options: Intl.DateTimeFormatOptions) => {
        for (const [month, name, first] of monthsOf(language, { ...options, month: style }))
          addMonth(months, name, { month, long: style === 'long', english: language === 'en', first });
      };
      for (const options of [{}, { day: 'numeric' }, { year: 'numeric' }] as const) addAll(options);
      addAll({ day: 'numeric', year: 'numeric' });
      const weekday = new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' });
      for (let day = 1; day <= 7; day += 1) {
        const name = bare(weekday.format(Date.UTC(2026, 10, day)));
        weekdays[name.length > 3 ? style : 'short'].add(name);
      }
    }
  }
  // Spelling of British newspapers, and weekdays that other sources abbreviate differently from CLDR.
  addMonth(months, 'sept', { month: 8, long: false, english: true, first: true });
  for (const name of ['tues', 'wednes', 'thur', 'thurs']) weekdays.short.add(name);
  const long = [...months].flatMap(([name, { long }]) => (long && name.length > stemLetters ? [name] : []));
  return { months, stems: new Map(long.map((name) => [name.slice(0, stemLetters), name])), weekdays };
}

function* monthsOf(
  language: string,
  options: Intl.DateTimeFormatOptions,
): Generator<[month: number, name: string, first: boolean]> {
  const format = new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
    ...options,
  });
  for (let month = 0; month < 12; month += 1) {
    const parts = format.formatToParts(Date.UTC(2026, month, 15));
    const at = parts.findIndex(({ type }) => type === 'month');
    const name = bare(parts[at]?.value ?? '').replace(/^de /, '');
    yield [month, name, at < parts.findIndex(({ type }) => type === 'day')];
  }
}

function addMonth(months: DateNames['months'], name: string, { month, long, english, first }: Naming): void {
  // Numbers, and names of several words, are recognized by separate forms.
  if (!/^[\p{L}\p{M}.]+$/u.test(name)) return;
  const known = months.get(name) ?? { months: new Set(), long: false, english: false, first: false };
  known.months.add(month);
  known.long ||= long;
  known.english ||= english;
  known.first ||= first;
  months.set(name, known);
}

/** Returns a name in lower case, without a final period or the combining dot of the Turkish `İ`. */
export function bare(name: string): string {
  return name.toLowerCase().replaceAll('̇', '').replace(/\.$/, '');
}
