import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { limitTable } from '#gate/limits.ts';

const titles: Record<keyof typeof limitTable, string> = {
  http: 'Requests',
  submissions: 'Requests to providers',
  answers: 'Answers, streams, waits and searches',
  checks: 'Checks of messages',
  mcp: 'Tools for language models',
  assertions: 'Assertions',
  comparison: 'Comparisons of mails',
  smtp: 'SMTP',
  messages: 'Messages',
  mail: 'Examining a mail',
  reports: 'Reports on mail that fails on purpose',
  access: 'Signing in',
  outbound: 'Requests to the outside',
  owned: 'What a team may own',
  failures: 'Failures on purpose',
  teams: 'Teams',
  refusals: 'Refusals',
};

/** Settings that override a limit. */
const settings: Record<string, string> = {
  'answers.waits': 'SANDPOST_MAX_WAITS',
  'owned.domains': 'SANDPOST_MAX_DOMAINS',
  'owned.accounts': 'SANDPOST_MAX_ACCOUNTS',
  'owned.storageBytes': 'SANDPOST_MAX_STORAGE_LIMIT',
};

const introduction = `# Limits

Each input has a bound, and each bound a name. The counter \`sandpost_limits_reached_total{limit="…"}\` of \`/metrics\` counts
how often it was reached. A limit with an asterisk is not counted: it sets the pace of work, or a time. This page is made
from \`core/limits.ts\`, the rules, and \`gate/limits.ts\`, what bounds load: \`node docs/write-limits.ts\`.
`;

const storage = `
## Storage

A quota counts \`size_bytes\`, the bytes as received, and of each message what is kept beside its body (the envelope with all
recipients and their DSN parameters, the request to a provider) beyond 2 KiB, and what is read out of it (fields, parts, results of
checks, with the SMTP dialogue) beyond 16 KiB and four times its size: ordinary mail counts its \`size_bytes\` alone. An
account with more than 1,000 messages has at most as many as its \`storage_limit\` has KiB. The text, the HTML and what a search
looks in are kept too and do not count, so that a message takes more room: a text mail of 1 MB three times its size, one of 60 KB
of header fields 2.4 times, one with 990 addresses 5.5 times, and each message 1.1 to 1.9 KB besides (measured on both stores,
before compression).
`;

/** Text of docs/limits.md: a table for each section of the limits. */
export function limitsPage(): string {
  const sections = Object.entries(limitTable).map(([section, entries]) => {
    const rows = Object.entries(entries).map(([name, { value, unit, per, what, beyond, counted }]) => {
      const setting = settings[`${section}.${name}`];
      const party = setting === undefined ? per : `${per} (\`${setting}\`)`;
      return `| \`${section}.${name}\`${counted ? '' : ' \\*'} | ${what} | ${amount(value, unit)} | ${party} | ${beyond} |`;
    });
    const title = titles[section as keyof typeof limitTable];
    return `\n## ${title}\n\n| limit | of | bound | per | beyond |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return introduction + sections.join('') + storage;
}

/** Formats a value with its unit, as in `16 KiB`, `5 s` and `100`. */
function amount(value: number, unit: string): string {
  if (unit === 'items') return value.toLocaleString('en');
  if (unit === 'ms') return value >= 1000 ? `${value / 1000} s` : `${value} ms`;
  if (unit !== 'bytes') return `${value.toLocaleString('en')} ${unit}`;
  const power = [3, 2, 1].find((exponent) => value % 1024 ** exponent === 0) ?? 0;
  return `${value / 1024 ** power} ${['bytes', 'KiB', 'MiB', 'GiB'][power]}`;
}

if (import.meta.main) writeFileSync(path.join(import.meta.dirname, 'limits.md'), limitsPage());
