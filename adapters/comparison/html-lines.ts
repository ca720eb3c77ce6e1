import { type Attributes, HtmlReader, OpenElements, voidElements } from '#adapters/mime/html-reader.ts';
import { cut } from '#core/comparison/comparison.ts';
import type { NormalLine } from '#core/comparison/normal-form.ts';

/** Maximum elements in a path: the innermost open ones. */
const pathElements = 4;
/** Maximum characters of an element's name in a path, which each line repeats. */
const nameCharacters = 40;

/**
 * Writes the tokens of HTML one per line, in one pass and linear time: tags with lower-case names and sorted attributes, text with folded
 * white space, and comments. A line's path is that of the surrounding element: `table > tr > td`.
 */
export function htmlLines(html: string): NormalLine[] {
  return new LineWriter(html).write();
}

class LineWriter extends HtmlReader {
  readonly #lines: NormalLine[] = [];
  readonly #open = new OpenElements<string>();
  #path = '';
  /** Pieces of the current text, which is split by character references. */
  #text: string[] = [];

  write(): NormalLine[] {
    this.readAll();
    return this.#lines;
  }

  override ontext(start: number, end: number): void {
    this.#text.push(this.source.slice(start, end));
  }

  override ontextentity(codePoint: number): void {
    this.#text.push(String.fromCodePoint(codePoint));
  }

  protected begin(tag: string, attributes: Attributes, isClosed: boolean): void {
    this.#endText();
    const sorted = [...attributes].sort(([a], [b]) => (a < b ? -1 : 1));
    const written = sorted.map(([name, { value }]) =>
      value === null ? ` ${name}` : ` ${name}="${folded(value)}"`,
    );
    this.#add(`<${tag}${written.join('')}>`);
    if (isClosed || voidElements.has(tag)) return;
    this.#open.push(tag, tag);
    this.#setPath();
  }

  protected end(tag: string): void {
    this.#endText();
    if (!this.#open.close(tag)) return;
    this.#setPath();
    this.#add(`</${tag}>`);
  }

  override oncomment(start: number, end: number, offset: number): void {
    this.#endText();
    this.#add(`<!-- ${folded(this.source.slice(start, end - offset))} -->`);
  }

  override ondeclaration(start: number, end: number): void {
    this.#endText();
    this.#add(`<!${folded(this.source.slice(start, end)).toLowerCase()}>`);
  }

  override onend(): void {
    this.#endText();
  }

  /** Ends the current text. Each line of a style sheet becomes a separate line. */
  #endText(): void {
    if (this.#text.length === 0) return;
    const text = this.#text.join('');
    this.#text = [];
    const lines = this.#open.innermost === 'style' ? text.split('\n') : [text];
    for (const line of lines.map(folded)) if (line !== '') this.#add(line);
  }

  #add(text: string): void {
    this.#lines.push({ path: this.#path, text });
  }

  #setPath(): void {
    const names = this.#open.last(pathElements).map((name) => cut(name, nameCharacters));
    this.#path = names.join(' > ');
  }
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
