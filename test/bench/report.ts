import { median, percentile } from './statistics.ts';

/** What one side did: a value a round, and where each request's time is known, all of them in ms. */
export type Side = { values: number[]; latencies?: number[] };

/** One line of the table. `better` says whether more or less of the unit is good. */
export type Row = {
  name: string;
  unit: string;
  better: 'more' | 'less';
  sandpost: Side;
  mailpit: Side | null;
  target?: Target;
};

/** What is asked for, and whether this run shows it. */
type Target = { text: string; met: boolean };

/** How many times better the first is: over 1 is good for Sandpost, whatever the unit. */
export function ratioOf({ better, sandpost, mailpit }: Pick<Row, 'better' | 'sandpost' | 'mailpit'>): number {
  if (mailpit === null) return Number.NaN;
  const [ours, theirs] = [median(sandpost.values), median(mailpit.values)];
  return better === 'more' ? ours / theirs : theirs / ours;
}

/** A target that is told as a ratio to Mailpit. */
export function atLeast(times: number, row: Omit<Row, 'target'>): Row {
  return { ...row, target: { text: `at least ${times} × Mailpit`, met: ratioOf(row) >= times } };
}

/** A target that is a ceiling for Sandpost's value. */
export function under(limit: number, row: Omit<Row, 'target'>): Row {
  const met = median(row.sandpost.values) < limit;
  return { ...row, target: { text: `under ${limit} ${row.unit}`, met } };
}

const heads = ['', 'unit', 'Sandpost', 'p50 / p99 ms', 'Mailpit', 'p50 / p99 ms', 'ratio', 'target', 'met'];

/** The rows as a Markdown table, which reads as text too: medians over the rounds, percentiles over all requests. */
export function tableOf(rows: Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    row.unit,
    figure(median(row.sandpost.values)),
    percentiles(row.sandpost),
    row.mailpit ? figure(median(row.mailpit.values)) : '',
    row.mailpit ? percentiles(row.mailpit) : '',
    ratioText(ratioOf(row)),
    row.target?.text ?? '',
    row.target ? (row.target.met ? 'yes' : 'NO') : '',
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lineOf = (line: string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lineOf(heads), rule, ...cells.map(lineOf)].join('\n');
}

function percentiles({ latencies }: Side): string {
  if (latencies === undefined || latencies.length === 0) return '';
  return `${figure(percentile(latencies, 0.5))} / ${figure(percentile(latencies, 0.99))}`;
}

/** A time below zero (an event that came before its 250) has no ratio. */
function ratioText(ratio: number): string {
  return Number.isFinite(ratio) && ratio > 0 ? ratio.toFixed(2) : '';
}

/** Three significant digits are more than a run repeats. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
