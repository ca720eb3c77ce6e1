/** UTF-16 units of the text around the last known line in which the next one is looked for. */
const reach = 16_384;
/** UTF-16 units that are read for lines that are not found. Lines behind them count as new. */
const mostRead = 2_097_152;
/** UTF-16 units by which a line is found. Longer needles take a search quadratic time, and a shorter line stands in several places. */
const needle = 24;

/**
 * Returns the lines of the visible text of an HTML part that the text part does not have word for word, so that both together are all
 * that a reader sees, each line once. Null where there are none. Takes linear time.
 */
export function addedLines(text: string | null, seen: string | null): string | null {
  if (seen === null || seen === '') return null;
  if (text === null || text.trim() === '') return seen;
  const known = new KnownText(text);
  const added: string[] = [];
  for (const line of seen.split('\n')) {
    // One empty line keeps paragraphs apart.
    const isNew = line === '' ? (added.at(-1) ?? '') !== '' : !known.has(line);
    if (isNew) added.push(line);
  }
  return added.length === 0 ? null : added.join('\n').trimEnd();
}

/** Joins a text part and what its HTML adds: all that a reader sees. Null where there is nothing. */
export function readableText(text: string | null, added: string | null): string | null {
  if (added === null) return text;
  return text === null || text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`;
}

/** Text in which lines are looked for that come in about its order, with any white space for a blank. */
class KnownText {
  readonly #text: string;
  #at = 0;
  #left = mostRead;

  constructor(text: string) {
    this.#text = text.replace(/\s{2,}|[^\S ]/g, ' ');
  }

  /** Looks for a line whose white space is blanks. */
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
