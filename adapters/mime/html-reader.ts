import { QuoteType, Tokenizer } from 'htmlparser2';

type Tokens = ConstructorParameters<typeof Tokenizer>[1];

/** Attributes of a tag by name. Only the first attribute with each name counts (HTML standard, attribute name state). */
export type Attributes = Map<string, Attribute>;

/** Value of an attribute, or null if it has none, and the offset at which the attribute's name starts. */
export type Attribute = { value: string | null; at: number };

/** Elements without an end tag (HTML standard, void elements). */
export const voidElements = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);

/**
 * Reads HTML in one pass and linear time: a tree of elements takes quadratic time if millions are never closed. Fetches, runs and renders
 * nothing. A reader receives tags through `begin` and `end`, and other tokens through methods with the tokenizer's names.
 */
export abstract class HtmlReader implements Tokens {
  readonly source: string;
  /** Offset of the current tag. */
  protected at = 0;
  #tag = '';
  #isRead = false;
  #attributes: Attributes = new Map();
  #name = '';
  #nameAt = 0;
  #value = '';

  constructor(source: string) {
    this.source = source;
  }

  /** Handles a start tag, up to the offset `end`. */
  protected abstract begin(tag: string, attributes: Attributes, isClosed: boolean, end: number): void;

  /** Handles an end tag, whose name starts at an offset. */
  protected abstract end(tag: string, at: number): void;

  /** Checks whether to read a tag's attributes. */
  protected reads(_tag: string): boolean {
    return true;
  }

  protected readAll(): void {
    const tokenizer = new Tokenizer({}, this);
    tokenizer.write(this.source);
    tokenizer.end();
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.source.slice(start, end).toLowerCase();
    this.at = start;
    this.#isRead = this.reads(this.#tag);
    if (this.#attributes.size > 0) this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    if (!this.#isRead) return;
    this.#name = this.source.slice(start, end).toLowerCase();
    this.#nameAt = start;
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#isRead) this.#value += this.source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#isRead) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(quote: QuoteType): void {
    if (!this.#isRead || this.#attributes.has(this.#name)) return;
    const value = quote === QuoteType.NoValue ? null : this.#value;
    this.#attributes.set(this.#name, { value, at: this.#nameAt });
  }

  onopentagend(end: number): void {
    this.begin(this.#tag, this.#attributes, false, end);
  }

  onselfclosingtag(end: number): void {
    this.begin(this.#tag, this.#attributes, true, end);
  }

  onclosetag(start: number, end: number): void {
    this.end(this.source.slice(start, end).toLowerCase(), start);
  }

  ontext(_start: number, _end: number): void {}
  ontextentity(_codePoint: number, _end: number): void {}
  oncomment(_start: number, _end: number, _offset: number): void {}
  ondeclaration(_start: number, _end: number): void {}
  onend(): void {}
  oncdata(): void {}
  onprocessinginstruction(): void {}
}

/** Stack of open elements by tag. Skips an end tag without its element in constant time. */
export class OpenElements<Element> {
  readonly #open: { tag: string; element: Element }[] = [];
  readonly #counts = new Map<string, number>();

  push(tag: string, element: Element): void {
    this.#open.push({ tag, element });
    this.#counts.set(tag, (this.#counts.get(tag) ?? 0) + 1);
  }

  /** Closes an element and all open elements in it. Returns false if no element with that name is open. */
  close(tag: string): boolean {
    if (!this.#counts.get(tag)) return false;
    for (let last = this.#open.pop(); last !== undefined; last = this.#open.pop()) {
      this.#counts.set(last.tag, (this.#counts.get(last.tag) ?? 1) - 1);
      if (last.tag === tag) break;
    }
    return true;
  }

  get innermost(): Element | undefined {
    return this.#open.at(-1)?.element;
  }

  /** Returns the innermost open elements, from outermost to innermost. */
  last(count: number): Element[] {
    return this.#open.slice(-count).map(({ element }) => element);
  }
}
