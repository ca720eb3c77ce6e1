/** Returns what a reader of an email sees: its text, then the lines that its HTML adds. Null if it has neither. */
export function readableText({ text, html_text: added = null }) {
  if (added === null) return text;
  return text === null || text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`;
}
