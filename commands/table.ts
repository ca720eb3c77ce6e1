/**
 * Formats rows for a person, aligned under their titles, or for a program, one line a row with tabs between the values. Control
 * characters, which a terminal would obey, become question marks.
 */
export function formatTable(titles: string[], rows: string[][], forPerson: boolean): string {
  const safe = rows.map((row) => row.map((value) => value.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')));
  if (!forPerson) return safe.map((row) => `${row.join('\t')}\n`).join('');
  const all = [titles, ...safe];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  const pad = (value: string, column: number) => {
    const missing = (widths[column] ?? 0) - [...value].length;
    return value + ' '.repeat(missing);
  };
  return all.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** Prints rows on standard output. */
export function printTable(titles: string[], rows: string[][]): void {
  process.stdout.write(formatTable(titles, rows, process.stdout.isTTY === true));
}
