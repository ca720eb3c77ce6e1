import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { mailpitVersion } from './mailpit-binary.ts';
import { type Row, tableOf } from './report.ts';

export type Section = { title: string; rows: Row[] };

/** Returns the report: facts that a reader needs, and the tables. */
export function reportOf(sections: Section[], rounds: number, now: Date): string {
  const processor = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${processor.length} × ${processor[0]?.model.trim()}, ${memory} GiB, ${type()} ${release()}`;
  return [
    `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${machine}; Node ${process.version};`,
    `Mailpit ${mailpitVersion}. Rounds: ${rounds}, with both servers in turn and clients on the same machine.`,
    'smtp-source (emails of 4 KB) and wrk measure the rates compared with Mailpit. Node clients measure all other times.',
    'CPU time covers all processes of a server, including its database.',
    'Values are medians over the rounds; p50 and p99 are over all requests; a ratio over 1 is good for Sandpost.',
    'A time to an event is negative if the event arrived before the 250 reply.',
    'Sandpost syncs each commit to disk before its 250 reply (`synchronous=FULL`); Mailpit does not (`NORMAL`).',
    'On the cluster store, Sandpost is `sandpost api` and `sandpost smtp`, with a single-member MongoDB replica set that',
    'acknowledges by majority and journal, and Redis, all on the same machine. The memory is that of `sandpost smtp`.',
    ...sections.flatMap(({ title, rows }) => ['', `## ${title}`, '', tableOf(rows)]),
    '',
  ].join('\n');
}

/** Writes a report beside the bench. */
export function keepResults(file: string, report: string): void {
  const text = `# Results\n\nWritten by \`npm run bench\`. ${report}`;
  writeFileSync(new URL(file, import.meta.url), text);
}
