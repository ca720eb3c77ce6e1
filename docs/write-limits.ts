import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { limits } from '#core/limits.ts';

/** Page with a row for each limit. The text is written by hand, and the bounds come from the code. */
const page = path.join(import.meta.dirname, 'limits.md');

/** Row of a limit: everything before the bound, the bound itself, and the rest. */
const row = /^(\| `(\w+)\.(\w+)`( \\\*)? \| [^|\n]+ \| )([^|\n]+)( \|)/gm;

/** Rows of docs/limits.md. A row that has an asterisk is `counted: false`. */
export function limitRows() {
  const rows = readFileSync(page, 'utf8').matchAll(row);
  return [...rows].map(([, , section, name, asterisk]) => {
    return { name: `${section}.${name}`, counted: asterisk === undefined };
  });
}

/** Returns the text of docs/limits.md with the bounds from the code. Each row keeps its unit. */
export function limitsPage(): string {
  const sections: Record<string, Record<string, number>> = limits;
  return readFileSync(page, 'utf8').replace(row, (_text, before, section, name, _asterisk, bound, after) => {
    const value = sections[section]?.[name] ?? Number.NaN;
    return `${before}${amount(value, bound)}${after}`;
  });
}

/** Formats a value in the unit that `bound` has: `16 KiB`, `5 s`, `998 characters`, `100`. */
function amount(value: number, bound: string): string {
  const unit = bound.split(' ').slice(1).join(' ');
  if (unit === 'ms' || unit === 's') return value >= 1000 ? `${value / 1000} s` : `${value} ms`;
  if (!/^(bytes|[KMG]iB)$/.test(unit)) return `${value.toLocaleString('en')} ${unit}`.trim();
  const power = [3, 2, 1].find((exponent) => value % 1024 ** exponent === 0) ?? 0;
  return `${value / 1024 ** power} ${['bytes', 'KiB', 'MiB', 'GiB'][power]}`;
}

if (import.meta.main) writeFileSync(page, limitsPage());
