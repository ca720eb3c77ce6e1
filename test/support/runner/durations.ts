import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Duration of a test file or part of the run, in seconds. */
export type Duration = [what: string, seconds: number];

/** Writes durations to a file, longest first, each with its value from the previous run, which the file contains. */
export function keepDurations(file: string, durations: Duration[]): void {
  const before = new Map(
    (existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n').map((line) => {
      const [seconds, , what = ''] = line.split('\t');
      return [what, seconds];
    }),
  );
  const longestFirst = durations.toSorted(([, some], [, others]) => others - some);
  const lines = longestFirst.map(([what, seconds]) => [seconds, before.get(what) ?? '', what].join('\t'));
  writeFileSync(file, `${['s', 'before', 'what'].join('\t')}\n${lines.join('\n')}\n`);
}
