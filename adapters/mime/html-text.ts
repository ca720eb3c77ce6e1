import { QuoteType, Tokenizer } from 'htmlparser2';
import type { HtmlText } from '#core/extraction/links.ts';

const maxHtml = 1_048_576;
const maxAnchors = 1000;

const blocks = new Set(
  'address article aside blockquote br center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const invisible = new Set(['script', 'style', 'template', 'title', 'textarea']);

/** Attributes that a reader sees, or that lead somewhere. */
const attributes = new Map<string, 'href' | 'alt' | 'value'>([
  ['a', 'href'],
  ['img', 'alt'],
  ['input', 'value'],
]);
/** Types of input fields whose value is not shown. */
const unwritten = new Set(['hidden', 'password', 'checkbox', 'radio', 'file', 'image', 'color', 'range']);

/** Code point that invalid character references decode to (HTML standard, numeric character reference end state). */
const replacement = 0xfffd;
const softHyphen = 0xad;
/** Joiners that are named, as in `&zwnj;&nbsp;&zwnj;`, pad previews; in text they are written as characters or numbers. */
const joiners = new Set([0x200c, 0x200d]);

type Tokens = ConstructorParameters<typeof Tokenizer>[1];

/** Reads the first 1 MiB of an HTML text, in one pass and linear time; nothing is fetched, run or rendered. */
export function readHtml(html: string): HtmlText {
  const reader = new HtmlReader(html.slice(0, maxHtml));
  const tokenizer = new Tokenizer({}, reader);
  tokenizer.write(reader.source);
  tokenizer.end();
  return reader.read();
}

/** Collects text and links from tokens alone: a tree of elements takes quadratic time where millions are never closed. */
class HtmlReader implements Tokens {
  readonly source: string;
  readonly #pieces: string[] = [];
  readonly #anchors: HtmlText['anchors'] = [];
  /** Invisible element that is open; everything up to its end tag is left out. */
  #invisible: string | null = null;
  #anchor: { href: string; from: number } | null = null;
  #tag = '';
  /** Attribute of the current tag whose value is collected, the first of its name. */
  #attribute: 'href' | 'alt' | 'value' | null = null;
  #value: string | null = null;
  #type: string | null = null;
  #collecting: 'value' | 'type' | null = null;

  constructor(source: string) {
    this.source = source;
  }

  read(): HtmlText {
    this.#closeAnchor();
    return { text: tidy(this.#pieces.join('')), anchors: this.#anchors };
  }

  ontext(start: number, end: number): void {
    if (this.#invisible !== null) return;
    const text = this.source.slice(start, end);
    this.#pieces.push(text.length === 1 && text > ' ' ? text : text.replace(/\s+/g, ' '));
  }

  ontextentity(codePoint: number, end: number): void {
    if (this.#invisible === null) this.#pieces.push(this.#character(codePoint, end));
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.source.slice(start, end).toLowerCase();
    this.#attribute = attributes.get(this.#tag) ?? null;
    this.#value = null;
    this.#type = null;
  }

  onattribname(start: number, end: number): void {
    this.#collecting = null;
    if (this.#attribute === null || end - start > this.#attribute.length) return;
    const name = this.source.slice(start, end).toLowerCase();
    if (this.#value === null && name === this.#attribute) {
      this.#collecting = 'value';
      this.#value = '';
    } else if (this.#type === null && this.#tag === 'input' && name === 'type') {
      this.#collecting = 'type';
      this.#type = '';
    }
  }

  onattribdata(start: number, end: number): void {
    if (this.#collecting !== null) this.#collect(this.source.slice(start, end));
  }

  onattribentity(codePoint: number): void {
    if (this.#collecting !== null) this.#collect(String.fromCodePoint(codePoint));
  }

  onattribend(quote: QuoteType): void {
    if (this.#collecting === 'value' && quote === QuoteType.NoValue) this.#value = null;
    this.#collecting = null;
  }

  onopentagend(): void {
    if (this.#invisible !== null) return;
    const tag = this.#tag;
    if (invisible.has(tag)) this.#invisible = tag;
    else if (blocks.has(tag)) this.#pieces.push('\n');
    else if (tag === 'td' || tag === 'th') this.#pieces.push(' ');
    else if (tag === 'img') this.#pieces.push(this.#value ?? '');
    else if (tag === 'input' && !unwritten.has(this.#type?.trim().toLowerCase() ?? ''))
      this.#pieces.push(' ', this.#value ?? '', ' ');
    else if (tag === 'a') {
      this.#closeAnchor();
      if (this.#value !== null && this.#anchors.length < maxAnchors) {
        this.#anchor = { href: this.#value.replace(/[\t\r\n]+/g, '').trim(), from: this.#pieces.length };
      }
    }
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    const tag = this.source.slice(start, end).toLowerCase();
    if (this.#invisible !== null) {
      if (tag === this.#invisible) this.#invisible = null;
    } else if (blocks.has(tag)) this.#pieces.push('\n');
    else if (tag === 'a') this.#closeAnchor();
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  #collect(piece: string): void {
    if (this.#collecting === 'value') this.#value += piece;
    else this.#type += piece;
  }

  #closeAnchor(): void {
    if (this.#anchor === null) return;
    const { href, from } = this.#anchor;
    this.#anchors.push({ href, text: tidy(this.#pieces.slice(from).join('')).replaceAll('\n', ' ') });
    this.#anchor = null;
  }

  #character(codePoint: number, end: number): string {
    if (codePoint === softHyphen) return '';
    if (codePoint !== replacement && !joiners.has(codePoint)) {
      return String.fromCodePoint(codePoint).replace(/\s/, ' ');
    }
    const start = this.source.lastIndexOf('&', end - 1);
    if (codePoint === replacement) return this.source.slice(start, end);
    return this.source.charAt(start + 1) === '#' ? String.fromCodePoint(codePoint) : '';
  }
}

/** Folds blanks, trims lines and leaves at most one empty line in a row. */
function tidy(text: string): string {
  const lines = text
    .replace(/(?:\u200b|\u034f|\u2060|\ufeff)+/g, '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim());
  return lines
    .filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''))
    .join('\n')
    .trim();
}
