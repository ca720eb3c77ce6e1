import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '#setup/settings.ts';

const page = path.join(import.meta.dirname, 'settings.md');

/** Returns the text of docs/settings.md, with a row for each of the program's settings. */
export function settingsPage(): string {
  const rows = settings.map(
    ({ variable, fallback, help }) => `| \`${variable}\` | ${fallback} | ${help} |\n`,
  );
  const table = /(?<=^\|---\|---\|---\|\n)(\| `SANDPOST_.*\n)*/m;
  return readFileSync(page, 'utf8').replace(table, () => rows.join(''));
}

if (import.meta.main) writeFileSync(page, settingsPage());
