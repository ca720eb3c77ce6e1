import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Data of caniemail.com, from data/caniemail.json in its npm package `caniemail`. Types cover only the fields that are read here. */
type Source = {
  last_update_date: string;
  data: {
    slug: string;
    title: string;
    stats: Record<string, Record<string, Record<string, string>>>;
    notes_by_num: Record<string, string> | null;
  }[];
};

/** Number for a version, or for a year and month. Years alone count as dates: Outlook 2019. */
function numbersOf(version: string): { isDate: boolean; numbers: number[] } {
  const numbers = version.split(/[.-]|(?<=\d)(?=[a-z])/).map((part) => Number.parseInt(part, 10) || 0);
  return { isDate: (numbers[0] ?? 0) >= 2000 && (numbers[0] ?? 0) < 2100, numbers };
}

/** Compares two versions of the same kind. Returns false if one is a date and the other a number. */
function isOlder(version: string, other: string): boolean {
  const [one, two] = [numbersOf(version), numbersOf(other)];
  if (one.isDate !== two.isDate) return false;
  const at = one.numbers.findIndex((number, index) => number !== (two.numbers[index] ?? 0));
  return at >= 0 && (one.numbers[at] ?? 0) < (two.numbers[at] ?? 0);
}

/** Returns the newest of several versions. The file lists versions from old to new, but a JSON parser puts whole numbers first. */
export function newest(versions: string[]): string {
  const [first = '', ...others] = versions;
  return others.reduce((best, next) => (isOlder(next, best) ? best : next), first);
}

/** Converts a support value such as `a #1 #2` to `a1,2`: y, a (partly), n or u (unknown), and the note numbers. */
function cellOf(support: string): string {
  // Bounded: support values of one release of a public data set.
  const [letter = '', ...notes] = support.split(/\s*#|\s+/).filter((part) => part !== '');
  return letter + notes.join(',');
}

/** Creates the compact data: a row for each feature, with the support of each client in the order of `clients`, or `-`. */
export function compact({ last_update_date, data }: Source) {
  const named = data.flatMap(({ stats }) =>
    Object.entries(stats).flatMap(([family, platforms]) =>
      Object.keys(platforms).map((platform) => `${family}.${platform}`),
    ),
  );
  const clients = [...new Set(named)].sort();
  const features = data.map(({ slug, title, stats, notes_by_num }) => {
    const row = clients.map((client) => {
      const [family = '', platform = ''] = client.split('.');
      const versions = stats[family]?.[platform];
      return versions === undefined ? '-' : cellOf(versions[newest(Object.keys(versions))] ?? '');
    });
    return { slug, title: title.trim(), row: row.join(' '), notes: notes_by_num ?? {} };
  });
  return { date: last_update_date.slice(0, 10), clients: clients.join(' '), features };
}

// npm pack caniemail@2.0.2 && tar xzf caniemail-2.0.2.tgz && node adapters/checks/make-client-data.ts package
if (import.meta.main) {
  const file = path.join(process.argv[2] ?? 'package', 'data/caniemail.json');
  const made = compact(JSON.parse(readFileSync(file, 'utf8')));
  writeFileSync(path.join(import.meta.dirname, 'client-data.json'), `${JSON.stringify(made, null, 2)}\n`);
}
