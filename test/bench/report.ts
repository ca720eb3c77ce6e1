import { median, percentile } from './statistics.ts';

/** Results of one side: a value per round, and the request latencies in ms, or their p50 and p99, if known. */
export type Side = { values: number[]; latencies?: number[]; percentiles?: [p50: number, p99: number] };

/** Table row. `better` names the unit's better direction. */
export type Row = {
  name: string;
  unit: string;
  better: 'more' | 'less';
  sandpost: Side;
  mailpit: Side | null;
  target?: Target;
};

/** Target, and whether this run meets it. */
type Target = { text: string; met: boolean };

/** Returns the ratio of Sandpost to Mailpit. Over 1 is good for Sandpost, whatever the unit. */
export function ratioOf({ better, sandpost, mailpit }: Pick<Row, 'better' | 'sandpost' | 'mailpit'>): number {
  if (mailpit === null) return Number.NaN;
  const [ours, theirs] = [median(sandpost.values), median(mailpit.values)];
  return better === 'more' ? ours / theirs : theirs / ours;
}

/** Adds a target that is a ratio to Mailpit. */
export function atLeast(times: number, row: Omit<Row, 'target'>): Row {
  return { ...row, target: { text: `at least ${times} × Mailpit`, met: ratioOf(row) >= times } };
}

/** Adds a target that is a ceiling for Sandpost's value. */
export function under(limit: number, row: Omit<Row, 'target'>): Row {
  const met = median(row.sandpost.values) < limit;
  return { ...row, target: { text: `under ${limit} ${row.unit}`, met } };
}

const heads = ['', 'unit', 'Sandpost', 'p50 / p99 ms', 'Mailpit', 'p50 / p99 ms', 'ratio', 'target', 'met'];

/** Returns the rows as a Markdown table that is readable as text: medians over the rounds, percentiles over all requests. */
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

function percentiles({ latencies, percentiles: known }: Side): string {
  if (known) return `${figure(known[0])} / ${figure(known[1])}`;
  if (latencies === undefined || latencies.length === 0) return '';
  return `${figure(percentile(latencies, 0.5))} / ${figure(percentile(latencies, 0.99))}`;
}

/** Formats a ratio. A time below zero (an event that arrived before its 250) has none. */
function ratioText(ratio: number): string {
  return Number.isFinite(ratio) && ratio > 0 ? ratio.toFixed(2) : '';
}

/** Formats a number with three significant digits, because runs do not repeat more. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
