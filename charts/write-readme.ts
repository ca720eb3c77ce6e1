import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const chart = path.join(import.meta.dirname, 'sandpost');
const start = '<!-- Made from values.yaml: node charts/write-readme.ts -->';
const end = '<!-- /values -->';

/** Returns the chart's README, with a table of values built from values.yaml and its comments. */
export function chartReadme(): string {
  const readme = readFileSync(path.join(chart, 'README.md'), 'utf8');
  const [before, rest = ''] = readme.split(start);
  const after = rest.split(end)[1];
  if (after === undefined) throw new Error(`README.md has no lines "${start}" and "${end}"`);
  const table = valuesTable(readFileSync(path.join(chart, 'values.yaml'), 'utf8'));
  return `${before}${start}\n\n${table}\n${end}${after}`;
}

/** Creates a table with a row for each value. A comment that begins with `--` describes the key after it. */
function valuesTable(yaml: string): string {
  const rows: string[] = [];
  const folders: { indent: number; key: string }[] = [];
  let comment: string[] = [];
  for (const line of yaml.split('\n')) {
    const [, note] = /^ *# ?(.*)/.exec(line) ?? [];
    if (note !== undefined) {
      comment = note.startsWith('-- ') ? [note.slice(3)] : [...comment, note];
      continue;
    }
    const [, space = '', key, value = ''] = /^( *)([\w-]+):(?: (.*))?$/.exec(line) ?? [];
    if (key !== undefined) {
      while ((folders.at(-1)?.indent ?? -1) >= space.length) folders.pop();
      const name = [...folders.map((folder) => folder.key), key].join('.');
      if (value === '') folders.push({ indent: space.length, key });
      else rows.push(`| \`${name}\` | \`${value}\` | ${comment.join(' ').replaceAll('|', '\\|')} |`);
    }
    comment = [];
  }
  return ['| value | default | |', '|---|---|---|', ...rows, ''].join('\n');
}

if (import.meta.main) writeFileSync(path.join(chart, 'README.md'), chartReadme());
