/** UTF-16 units before and after the last line that was found, within which the next line is searched for first. */
const reach = 16_384;
/** Maximum UTF-16 units to search for lines that are not found. After that, all further lines count as new. */
const mostRead = 2_097_152;
/** UTF-16 units of a line to search for. Longer needles take quadratic time, and shorter ones occur in several places. */
const needle = 24;

/**
 * Returns the lines of an HTML part's visible text that the text part does not contain word for word. Together with the text part, they
 * are everything that a reader sees, each line once. Returns null if there are none. Takes linear time.
 */
export function addedLines(text: string | null, seen: string | null): string | null {
  if (seen === null || seen === '') return null;
  if (text === null || text.trim() === '') return seen;
  const known = new KnownText(text);
  const added: string[] = [];
  for (const line of seen.split('\n')) {
    // A single empty line separates paragraphs.
    const isNew = line === '' ? (added.at(-1) ?? '') !== '' : !known.has(line);
    if (isNew) added.push(line);
  }
  return added.length === 0 ? null : added.join('\n').trimEnd();
}

/** Joins a text part and the lines that its HTML adds: everything that a reader sees. Returns null if both are empty. */
export function readableText(text: string | null, added: string | null): string | null {
  if (added === null) return text;
  return text === null || text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`;
}

/** Text that is searched for lines which occur in roughly the same order. Any white space matches a space. */
class KnownText {
  readonly #text: string;
  #at = 0;
  #left = mostRead;

  constructor(text: string) {
    this.#text = text.replace(/\s{2,}|[^\S ]/g, ' ');
  }

  /** Searches for a line in which all white space is single spaces. */
  has(line: string): boolean {
    const at = this.#find(line);
    if (at >= 0 && line.length >= needle) this.#at = at + line.length;
    return at >= 0;
  }

  #find(line: string): number {
    if (this.#text.startsWith(line, this.#at)) return this.#at;
    if (this.#left < 0) return -1;
    const from = Math.max(0, this.#at - reach);
    const around = this.#text.slice(from, this.#at + reach);
    const head = line.slice(0, needle);
    const behind = around.indexOf(head, this.#at - from);
    const found = from + (behind >= 0 ? behind : around.indexOf(head));
    const isThere = found >= from && this.#text.startsWith(line, found);
    this.#left -= isThere ? Math.abs(found - this.#at) : around.length;
    return isThere ? found : -1;
  }
}
