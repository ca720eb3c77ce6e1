import { QuoteType, Tokenizer } from 'htmlparser2';
import { cut } from '#core/comparison/comparison.ts';
import type { NormalLine } from '#core/comparison/normal-form.ts';

/** Elements without an end (HTML standard, void elements). */
const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** Innermost open elements that a path names. */
const pathElements = 4;
/** Characters of an element's name in a path, which each line repeats. */
const nameCharacters = 40;

/**
 * Writes the tokens of an HTML text one a line, in one pass and linear time: tags with lower-case names and sorted
 * attributes, texts with their white space folded, comments. The path of a line is that of the element around it: `table > tr
 * > td`.
 */
export function htmlLines(html: string): NormalLine[] {
  const writer = new LineWriter(html);
  const tokenizer = new Tokenizer({}, writer);
  tokenizer.write(html);
  tokenizer.end();
  return writer.lines;
}

type Tokens = ConstructorParameters<typeof Tokenizer>[1];

class LineWriter implements Tokens {
  readonly lines: NormalLine[] = [];
  readonly #html: string;
  readonly #open: string[] = [];
  /** Numbers of open elements by name: an end tag without its element is passed over. */
  readonly #counts = new Map<string, number>();
  #path = '';
  /** Pieces of the current text, which character references split. */
  #text: string[] = [];
  #tag = '';
  #attributes = new Map<string, string | null>();
  #name = '';
  #value: string[] = [];

  constructor(html: string) {
    this.#html = html;
  }

  ontext(start: number, end: number): void {
    this.#text.push(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#text.push(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#endText();
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#value = [];
  }

  onattribdata(start: number, end: number): void {
    this.#value.push(this.#html.slice(start, end));
  }

  onattribentity(codePoint: number): void {
    this.#value.push(String.fromCodePoint(codePoint));
  }

  onattribend(quote: QuoteType): void {
    // The first attribute of a name counts (HTML standard, attribute name state).
    if (this.#attributes.has(this.#name)) return;
    this.#attributes.set(this.#name, quote === QuoteType.NoValue ? null : folded(this.#value.join('')));
  }

  onopentagend(): void {
    this.#begin(voids.has(this.#tag));
  }

  onselfclosingtag(): void {
    this.#begin(true);
  }

  onclosetag(start: number, end: number): void {
    this.#endText();
    const tag = this.#html.slice(start, end).toLowerCase();
    if (!this.#counts.get(tag)) return;
    for (let last = this.#open.pop(); last !== undefined; last = this.#open.pop()) {
      this.#counts.set(last, (this.#counts.get(last) ?? 1) - 1);
      if (last === tag) break;
    }
    this.#setPath();
    this.#add(`</${tag}>`);
  }

  oncomment(start: number, end: number, offset: number): void {
    this.#endText();
    this.#add(`<!-- ${folded(this.#html.slice(start, end - offset))} -->`);
  }

  ondeclaration(start: number, end: number): void {
    this.#endText();
    this.#add(`<!${folded(this.#html.slice(start, end)).toLowerCase()}>`);
  }

  onend(): void {
    this.#endText();
  }

  oncdata(): void {}
  onprocessinginstruction(): void {}

  #begin(isClosed: boolean): void {
    const attributes = [...this.#attributes].sort(([a], [b]) => (a < b ? -1 : 1));
    const written = attributes.map(([name, value]) => (value === null ? ` ${name}` : ` ${name}="${value}"`));
    this.#add(`<${this.#tag}${written.join('')}>`);
    if (isClosed) return;
    this.#open.push(this.#tag);
    this.#counts.set(this.#tag, (this.#counts.get(this.#tag) ?? 0) + 1);
    this.#setPath();
  }

  /** Ends a text. A style sheet has a line for each of its own. */
  #endText(): void {
    if (this.#text.length === 0) return;
    const text = this.#text.join('');
    this.#text = [];
    const lines = this.#open.at(-1) === 'style' ? text.split('\n') : [text];
    for (const line of lines.map(folded)) if (line !== '') this.#add(line);
  }

  #add(text: string): void {
    this.lines.push({ path: this.#path, text });
  }

  #setPath(): void {
    const names = this.#open.slice(-pathElements).map((name) => cut(name, nameCharacters));
    this.#path = names.join(' > ');
  }
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
