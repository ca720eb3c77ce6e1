import { type Attributes, HtmlReader } from '#adapters/mime/html-reader.ts';
import { limits } from '#core/limits.ts';
import type { DocumentBody, Picture } from '#core/messages/mail-document.ts';

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Elements that an email may have. None loads a document, runs a script, sends a form, or changes the document itself. */
const elements = words(`
  a abbr acronym address area article aside b bdi bdo big blockquote body br button caption center cite code col colgroup data
  dd del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img
  input ins kbd label legend li main map mark marquee menu meter nav nobr ol optgroup option output p pre progress q rp rt ruby s
  samp section select small span strike strong sub summary sup table tbody td textarea tfoot th thead time tr tt u ul var wbr
`);

/** Elements that are removed with their content. Other forbidden elements keep their content. */
const dropped = words(`
  audio canvas iframe math noembed noframes plaintext script svg template title video xmp
`);

/** Attributes that an email may have, in addition to data and accessibility attributes. None of them sends a request by itself. */
const attributes = words(`
  abbr align alt axis background bgcolor border bordercolor cellpadding cellspacing char charoff charset checked class clear color
  cols colspan compact coords datetime dir disabled face for frame headers height hidden high href hreflang hspace id ismap label
  lang leftmargin low marginheight marginwidth max maxlength media min multiple name noshade nowrap open optimum placeholder
  readonly rel required rev reversed role rows rowspan rules scope selected shape size span src start style summary tabindex
  title topmargin translate type usemap valign value vspace width wrap
`);

/** Value of an attribute, or a style sheet: pieces of text, with the images between them whose base64 is inserted there. */
type Value = (string | Picture)[];

/** URL that cannot be loaded as an image, and therefore marks the place. */
const blank = 'data:,';

/**
 * Sanitizes HTML in one pass and linear time. Rewrites each token: listed elements and attributes, quoted values, escaped text. No piece
 * of the email therefore reaches a browser in its original spelling, however the browser would interpret it. Links lead to the web, to
 * mail and phone programs, or within the email. Images are `pictures` or `data:` URLs.
 */
export function writeDocument(html: string, pictures: Picture[]): DocumentBody {
  return new Writer(html, pictures).write();
}

class Writer extends HtmlReader {
  readonly #pictures: Map<string, Picture>;
  /** Bytes left for images. */
  #left = limits.answers.documentPictureBytes;
  readonly #pieces: Value = [];
  /** Element whose content is skipped up to its end tag, or `style`, whose content is collected. */
  #within: string | null = null;
  #sheet = '';

  constructor(source: string, pictures: Picture[]) {
    super(source);
    this.#pictures = new Map(pictures.map((picture) => [picture.contentId, picture]));
  }

  write(): DocumentBody {
    this.readAll();
    const places: DocumentBody['places'] = [];
    const buffers: Buffer[] = [];
    let at = 0;
    let text = '';
    const flush = () => {
      const bytes = Buffer.from(text);
      buffers.push(bytes);
      at += bytes.length;
      text = '';
    };
    for (const piece of this.#pieces) {
      if (typeof piece === 'string') text += piece;
      else {
        text += `data:${piece.contentType};base64,`;
        flush();
        places.push({ at, attachment: piece.attachment });
      }
    }
    flush();
    return { bytes: new Uint8Array(Buffer.concat(buffers)), places };
  }

  override ontext(start: number, end: number): void {
    const text = this.source.slice(start, end);
    if (this.#within === null) this.#pieces.push(escaped(text));
    else if (this.#within === 'style') this.#sheet += text;
  }

  override ontextentity(codePoint: number): void {
    if (this.#within === null) this.#pieces.push(escaped(String.fromCodePoint(codePoint)));
  }

  protected override reads(tag: string): boolean {
    return this.#within === null && elements.has(tag);
  }

  protected begin(tag: string, attributes: Attributes, isClosed: boolean): void {
    if (this.#within !== null) return;
    if (tag === 'style' || dropped.has(tag)) {
      // Browsers ignore the slash in HTML, so the following text would become the element's content.
      if (isClosed) return;
      this.#within = tag;
      this.#sheet = '';
    } else if (elements.has(tag)) {
      this.#pieces.push(`<${tag}`);
      for (const [name, { value }] of attributes)
        if (isAllowed(name)) this.#writeAttribute(name, value ?? '');
      this.#pieces.push('>');
    }
  }

  protected end(tag: string): void {
    if (this.#within === null) {
      if (elements.has(tag)) this.#pieces.push(`</${tag}>`);
    } else if (this.#within === tag) {
      this.#within = null;
      if (tag !== 'style') return;
      // Browsers end the element at the first `</style`.
      const css = this.#sheet.replace(/<!--|-->/g, '').replaceAll('<', '\\3c ');
      this.#pieces.push('<style>');
      for (const piece of this.#cleanCss(css)) this.#pieces.push(piece);
      this.#pieces.push('</style>');
    }
  }

  #writeAttribute(name: string, value: string): void {
    const clean = this.#cleanAttribute(name, value);
    if (clean === null) return;
    this.#pieces.push(` ${name}="`);
    for (const piece of clean)
      this.#pieces.push(typeof piece === 'string' ? escaped(piece).replaceAll('"', '&quot;') : piece);
    this.#pieces.push('"');
  }

  /** Returns null if the attribute is removed. */
  #cleanAttribute(name: string, value: string): Value | null {
    if (name === 'style') return this.#cleanCss(value);
    const url = value.trim();
    if (name === 'href') return /^(?:#|(?:https?|mailto|tel|sms):)/i.test(url) ? [url] : null;
    if (name !== 'src' && name !== 'background') return [value];
    if (/^data:image\//i.test(url)) return [url];
    if (!/^cid:/i.test(url)) return null;
    return [this.#show(url) ?? blank];
  }

  /** Replaces `cid:` URLs in CSS with images, and removes web URLs. The document's policy blocks escaped web URLs. */
  #cleanCss(css: string): Value {
    const url = /cid:[^\s"'<>)\\]+|(?:https?:)?\/\/[^\s"'<>)\\]*/gi;
    const clean: Value = [];
    let at = 0;
    for (const { 0: found, index } of css.matchAll(url)) {
      clean.push(css.slice(at, index), this.#show(found) ?? blank);
      at = index + found.length;
    }
    clean.push(css.slice(at));
    return clean;
  }

  /**
   * Returns the image of a `cid:` URL (RFC 2392). Undefined for another URL, or for an image that exceeds the document's remaining bytes.
   */
  #show(url: string): Picture | undefined {
    const picture = this.#pictures.get(contentIdOf(url));
    if (picture === undefined || picture.sizeBytes > this.#left) return undefined;
    this.#left -= picture.sizeBytes;
    return picture;
  }
}

/** Checks whether an attribute is allowed. No list contains event handlers. */
function isAllowed(name: string): boolean {
  return attributes.has(name) || /^(?:data|aria)-[a-z0-9-]+$/.test(name);
}

function escaped(text: string): string {
  return text.replace(/[&<]/g, (character) => (character === '&' ? '&amp;' : '&lt;'));
}

function contentIdOf(url: string): string {
  const id = url.replace(/^cid:/i, '');
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
