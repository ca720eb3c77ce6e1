/** Line of a text by its number, which counts from 1. */
export type NumberedLine = { number: number; text: string };

const around = 1;
const mostCharacters = 160;

/**
 * Returns a line of a text with the lines beside it. Cuts long lines, around `wanted` where they have it: the HTML of many mails is
 * one line.
 */
export function excerptOf(text: string, line: number, wanted: string): NumberedLine[] {
  const first = Math.max(1, line - around);
  return text
    .split('\n', line + around)
    .slice(first - 1)
    .map((one, index) => ({ number: first + index, text: cut(one.trimEnd(), wanted) }));
}

function cut(line: string, wanted: string): string {
  if (line.length <= mostCharacters) return line;
  const at = Math.max(0, line.toLowerCase().indexOf(wanted.toLowerCase()));
  const from = Math.max(0, Math.min(at - mostCharacters / 4, line.length - mostCharacters));
  const part = line.slice(from, from + mostCharacters);
  return `${from > 0 ? '…' : ''}${part}${from + mostCharacters < line.length ? '…' : ''}`;
}
