import type { Anchor, HtmlText } from '#core/extraction/links.ts';
import { type Attributes, HtmlReader } from './html-reader.ts';

const maxHtml = 1_048_576;
const maxAnchors = 1000;

const blocks = new Set(
  'address article aside blockquote br center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const invisible = new Set(['script', 'style', 'template', 'title', 'textarea']);

/** Code point to which invalid character references decode (HTML standard, numeric character reference end state). */
const replacement = 0xfffd;
const softHyphen = 0xad;
/** Named joiners that pad previews, as in `&zwnj;&nbsp;&zwnj;`. Text contains joiners as characters or numeric references. */
const joiners = new Set([0x200c, 0x200d]);

/** Tags whose attributes are read. */
const told = new Set(['a', 'area', 'base', 'img', 'input']);

/** Input field types whose value is not shown. */
const unwritten = new Set(['hidden', 'password', 'checkbox', 'radio', 'file', 'image', 'color', 'range']);

/** Maximum characters next to a link that may reveal its purpose, and maximum tokens that are searched for them. */
const maxBeside = 200;
const maxTokens = 50;

/** Reads the first 1 MiB of HTML in one pass and linear time. Fetches, runs and renders nothing. */
export function readHtml(html: string): HtmlText {
  return new TextReader(html.slice(0, maxHtml)).read();
}

/** Collects text and links. */
class TextReader extends HtmlReader {
  readonly #pieces: string[] = [];
  readonly #anchors: { href: string; text: string; from: number; to: number }[] = [];
  /** Open invisible element. The reader skips everything up to its end tag. */
  #invisible: string | null = null;
  #anchor: { href: string; name: string; from: number } | null = null;
  /** Number of open `pre` elements, in which line breaks are kept. */
  #pres = 0;
  /** URL of the first `base` element that has a URL. */
  #base: string | null = null;

  read(): HtmlText {
    this.readAll();
    this.#closeAnchor();
    const base = this.#base === null ? null : URL.parse(resolve(this.#base.trim(), null));
    const anchors = this.#anchors.map(({ href, text, from, to }): Anchor => {
      const { text: before, at } = this.#before(from);
      return {
        href: resolve(href, base),
        text,
        beside: [before, this.#after(to), this.#before(at + 1).text],
      };
    });
    return { text: tidy(this.#pieces.join('')), anchors };
  }

  override ontext(start: number, end: number): void {
    if (this.#invisible !== null) return;
    const text = this.source.slice(start, end);
    if (this.#pres === 0) this.#pieces.push(folded(text));
    else this.#pushLines(text);
  }

  override ontextentity(codePoint: number, end: number): void {
    if (this.#invisible === null) this.#pieces.push(this.#character(codePoint, end));
  }

  protected override reads(tag: string): boolean {
    return this.#invisible === null && told.has(tag);
  }

  protected begin(tag: string, attributes: Attributes): void {
    if (this.#invisible !== null) return;
    const given = (name: string) => attributes.get(name)?.value ?? undefined;
    if (tag === 'pre') this.#pres += 1;
    if (invisible.has(tag)) this.#invisible = tag;
    else if (blocks.has(tag)) this.#pieces.push('\n');
    else if (tag === 'td' || tag === 'th') this.#pieces.push(' ');
    else if (tag === 'img') this.#pieces.push(given('alt') ?? '');
    else if (tag === 'input' && !unwritten.has(given('type')?.trim().toLowerCase() ?? ''))
      this.#pieces.push(' ', given('value') ?? '', ' ');
    else if (tag === 'base') this.#base ??= given('href') ?? null;
    else if (tag === 'a') this.#openAnchor(given('href'), given('aria-label') || given('title') || '');
    else if (tag === 'area') this.#addArea(given('href'), given('alt') ?? '');
  }

  protected end(tag: string): void {
    if (this.#invisible !== null) {
      if (tag === this.#invisible) this.#invisible = null;
    } else if (blocks.has(tag)) {
      if (tag === 'pre' && this.#pres > 0) this.#pres -= 1;
      this.#pieces.push('\n');
    } else if (tag === 'a') this.#closeAnchor();
  }

  #pushLines(text: string): void {
    for (const [at, line] of text.split(/\r\n|\r|\n/).entries()) {
      if (at > 0) this.#pieces.push('\n');
      if (line !== '') this.#pieces.push(folded(line));
    }
  }

  #openAnchor(href: string | undefined, name: string): void {
    this.#closeAnchor();
    if (href !== undefined && this.#anchors.length < maxAnchors)
      this.#anchor = { href: addressOf(href), name, from: this.#pieces.length };
  }

  #addArea(href: string | undefined, alt: string): void {
    if (href === undefined || this.#anchors.length >= maxAnchors) return;
    const at = this.#pieces.length;
    this.#anchors.push({ href: addressOf(href), text: tidy(alt), from: at, to: at });
  }

  /** Closes the open link. Its text is the visible text or, without any, its name for screen readers. */
  #closeAnchor(): void {
    if (this.#anchor === null) return;
    const { href, name, from } = this.#anchor;
    const shown = tidy(this.#pieces.slice(from).join(''));
    const text = (shown || tidy(name)).replaceAll('\n', ' ');
    this.#anchors.push({ href, text, from, to: this.#pieces.length });
    this.#anchor = null;
  }

  /**
   * Returns the end of the text before a token, from the token's block or, if that has no letters, from the last block with letters and a
   * line break. `at`: the position of that block.
   */
  #before(from: number): { text: string; at: number } {
    let text = '';
    let at = from - 1;
    for (; at >= Math.max(0, from - maxTokens) && text.length < maxBeside; at--) {
      const piece = this.#pieces[at] ?? '';
      if (piece !== '\n') text = `${piece.slice(-maxBeside)}${text}`;
      else if (/\p{L}/u.test(text)) break;
      else text = '\n';
    }
    return { text: text.slice(-maxBeside), at };
  }

  /** Returns the start of the text that follows a token, within its block. */
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

const addressOf = (href: string): string => href.replace(/[\t\r\n]+/g, '').trim();

/**
 * Resolves a relative URL as a browser does. An email without `base` has no base URL: `//host` then becomes an https URL, and any
 * other stays unchanged.
 */
function resolve(href: string, base: URL | null): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) return href;
  if (base === null && !/^[\\/]{2}[^\\/]/.test(href)) return href;
  return URL.parse(href, base?.href ?? 'https://relative.invalid')?.href ?? href;
}

/** Replaces each run of white space with one space. Not matching single spaces, the most frequent runs, takes a third of the time. */
const folded = (text: string): string => text.replace(/\s{2,}|[^\S ]/g, ' ');

/** Folds white space, trims lines and keeps at most one empty line in a row. */
function tidy(text: string): string {
  const lines = text
    .replace(/(?:\u200b|\u034f|\u2060|\ufeff)+/g, '')
    // Joiners between spaces pad previews. Joiners between letters are part of the word.
    .replace(/(^|\s)(?:\u200c|\u200d)+(?=\s|$)/g, '$1')
    .split('\n')
    .map((line) => folded(line).trim());
  return lines
    .filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''))
    .join('\n')
    .trim();
}
