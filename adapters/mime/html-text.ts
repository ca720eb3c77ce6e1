import { QuoteType, Tokenizer } from 'htmlparser2';
import type { Anchor, HtmlText } from '#core/extraction/links.ts';

const maxHtml = 1_048_576;
const maxAnchors = 1000;

const blocks = new Set(
  'address article aside blockquote br center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const invisible = new Set(['script', 'style', 'template', 'title', 'textarea']);

/** Code point that invalid character references decode to (HTML standard, numeric character reference end state). */
const replacement = 0xfffd;
const softHyphen = 0xad;
/** Joiners that are named, as in `&zwnj;&nbsp;&zwnj;`, pad previews; in text they are written as characters or numbers. */
const joiners = new Set([0x200c, 0x200d]);

/** Attributes that are read, by tag. */
const attributes: Record<string, string[] | undefined> = {
  a: ['href', 'aria-label', 'title'],
  area: ['href', 'alt'],
  base: ['href'],
  img: ['alt'],
  input: ['value', 'type'],
};
/** Types of input fields whose value is not shown. */
const unwritten = new Set(['hidden', 'password', 'checkbox', 'radio', 'file', 'image', 'color', 'range']);

/** Characters beside a link that may tell its purpose, and the tokens that are looked through for them. */
const maxBeside = 200;
const maxTokens = 50;

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
  readonly #anchors: { href: string; text: string; from: number; to: number }[] = [];
  /** Invisible element that is open; everything up to its end tag is left out. */
  #invisible: string | null = null;
  #anchor: { href: string; name: string; from: number } | null = null;
  /** URL of the first `base` element that has one. */
  #base: string | null = null;
  #tag = '';
  /** Values of attributes of the current tag, the first of each name. */
  #values = new Map<string, string>();
  /** Name of the attribute whose value is collected. */
  #collecting: string | null = null;

  constructor(source: string) {
    this.source = source;
  }

  read(): HtmlText {
    this.#closeAnchor();
    const base = this.#base === null ? null : URL.parse(resolve(this.#base.trim(), null));
    const anchors = this.#anchors.map(({ href, text, from, to }): Anchor => {
      return { href: resolve(href, base), text, beside: [this.#before(from), this.#after(to)] };
    });
    return { text: tidy(this.#pieces.join('')), anchors };
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
    if (this.#values.size > 0) this.#values = new Map();
  }

  onattribname(start: number, end: number): void {
    const read = attributes[this.#tag];
    const name = read && this.source.slice(start, end).toLowerCase();
    this.#collecting = name !== undefined && read?.includes(name) && !this.#values.has(name) ? name : null;
    if (this.#collecting !== null) this.#values.set(this.#collecting, '');
  }

  onattribdata(start: number, end: number): void {
    this.#collect(this.source.slice(start, end));
  }

  onattribentity(codePoint: number): void {
    this.#collect(String.fromCodePoint(codePoint));
  }

  onattribend(quote: QuoteType): void {
    if (this.#collecting !== null && quote === QuoteType.NoValue) this.#values.delete(this.#collecting);
    this.#collecting = null;
  }

  onopentagend(): void {
    if (this.#invisible !== null) return;
    const tag = this.#tag;
    if (invisible.has(tag)) this.#invisible = tag;
    else if (blocks.has(tag)) this.#pieces.push('\n');
    else if (tag === 'td' || tag === 'th') this.#pieces.push(' ');
    else if (tag === 'img') this.#pieces.push(this.#values.get('alt') ?? '');
    else if (tag === 'input' && !unwritten.has(this.#values.get('type')?.trim().toLowerCase() ?? ''))
      this.#pieces.push(' ', this.#values.get('value') ?? '', ' ');
    else if (tag === 'base') this.#base ??= this.#values.get('href') ?? null;
    else if (tag === 'a' || tag === 'area') this.#openAnchor(tag);
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

  #collect(text: string): void {
    if (this.#collecting === null) return;
    this.#values.set(this.#collecting, `${this.#values.get(this.#collecting)}${text}`);
  }

  #openAnchor(tag: 'a' | 'area'): void {
    const [href, alt = '', label = '', title = ''] = ['href', 'alt', 'aria-label', 'title'].map((name) =>
      this.#values.get(name),
    );
    const isListed = href !== undefined && this.#anchors.length < maxAnchors;
    const from = this.#pieces.length;
    const address = href?.replace(/[\t\r\n]+/g, '').trim() ?? '';
    if (tag === 'area') {
      if (isListed) this.#anchors.push({ href: address, text: tidy(alt), from, to: from });
      return;
    }
    this.#closeAnchor();
    if (isListed) this.#anchor = { href: address, name: label || title, from };
  }

  /** Closes the link that is open. Its text is what it shows, or else its name for screen readers. */
  #closeAnchor(): void {
    if (this.#anchor === null) return;
    const { href, name, from } = this.#anchor;
    const shown = tidy(this.#pieces.slice(from).join(''));
    const text = (shown || tidy(name)).replaceAll('\n', ' ');
    this.#anchors.push({ href, text, from, to: this.#pieces.length });
    this.#anchor = null;
  }

  /** Returns the end of the text before a token: of its block, or of the last block with letters, with a line break behind it. */
  #before(from: number): string {
    let text = '';
    for (let at = from - 1; at >= Math.max(0, from - maxTokens) && text.length < maxBeside; at--) {
      const piece = this.#pieces[at] ?? '';
      if (piece !== '\n') text = `${piece.slice(-maxBeside)}${text}`;
      else if (/\p{L}/u.test(text)) break;
      else text = '\n';
    }
    return text.slice(-maxBeside);
  }

  /** Returns the beginning of the text from a token on, within its block. */
  #after(to: number): string {
    let text = '';
    for (let at = to; at < to + maxTokens && text.length < maxBeside; at++) {
      const piece = this.#pieces[at] ?? '\n';
      if (piece === '\n') break;
      text = `${text}${piece.slice(0, maxBeside)}`;
    }
    return text.slice(0, maxBeside);
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

/**
 * Resolves a relative URL, as a browser does. A mail without `base` has no URL of its own: `//host` is then one of https, and any other
 * stays as it is.
 */
function resolve(href: string, base: URL | null): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) return href;
  if (base === null && !/^[\\/]{2}[^\\/]/.test(href)) return href;
  return URL.parse(href, base?.href ?? 'https://relative.invalid')?.href ?? href;
}

/** Folds blanks, trims lines and leaves at most one empty line in a row. */
function tidy(text: string): string {
  const lines = text
    .replace(/(?:\u200b|\u034f|\u2060|\ufeff)+/g, '')
    // Joiners between blanks pad previews. Between letters they are part of the word.
    .replace(/(^|\s)(?:\u200c|\u200d)+(?=\s|$)/g, '$1')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim());
  return lines
    .filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''))
    .join('\n')
    .trim();
}
