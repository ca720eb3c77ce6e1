/** Maximum characters of a line that is not split. */
const longest = 120;
const mostIndented = 20;

/** Elements that have no end tag, or that end where they begin. */
const single = /^<(?:br|img|hr|meta|link|input|col|wbr|area)\b|\/>$|<\//i;

/** Splits a long line of HTML into rows, with a new row for each tag that follows another, and indents them by nesting. */
export function rowsOf(line: string): string[] {
  if (line.length <= longest) return [line];
  let depth = 0;
  return line.split(/(?<=>)\s{0,20}(?=<)/).map((row) => {
    if (row.startsWith('</')) depth = Math.max(0, depth - 1);
    const indented = '  '.repeat(Math.min(depth, mostIndented)) + row;
    if (/^<\w/.test(row) && !single.test(row)) depth += 1;
    return indented;
  });
}
