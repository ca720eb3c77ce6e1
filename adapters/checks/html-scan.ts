import { type Attributes, HtmlReader, OpenElements, voidElements } from '#adapters/mime/html-reader.ts';
import type { FeatureUse } from '#core/checks/client-support.ts';
import { type Colour, contrastRatio, parseColour } from '#core/checks/contrast.ts';
import { type HtmlFacts, type PlaceKind, type Places, placeKinds } from '#core/checks/facts.ts';
import { isLowContrast } from '#core/checks/findings.ts';
import { CssScan } from './css-scan.ts';
import type { FeatureNames } from './feature-names.ts';
import { imageFeatures } from './image-features.ts';
import { LineCounter } from './line-counter.ts';

/** Elements whose content is not text of the email. */
const unseen = new Set(['style', 'script', 'title', 'template', 'textarea']);

/** Open element with the properties that its text inherits. An unknown color is null. `inline` lists the inline colors. */
type Open = {
  colour: Colour | null;
  ground: Colour | null;
  inline: { colour: boolean; ground: boolean };
  hidden: boolean;
  /** Content that is not text of the email. */
  unseen: boolean;
};

const page: Open = {
  colour: [0, 0, 0],
  ground: [255, 255, 255],
  inline: { colour: false, ground: false },
  hidden: false,
  unseen: false,
};

/** Reads features and facts from HTML in one pass and linear time. Fetches, runs and renders nothing. */
export function scanHtml(html: string, names: FeatureNames): HtmlFacts {
  return new HtmlScan(html, names).facts();
}

class HtmlScan extends HtmlReader {
  readonly #names: FeatureNames;
  readonly #lines: LineCounter;
  readonly #css: CssScan;
  readonly #uses = new Map<string, FeatureUse>();
  readonly #open = new OpenElements<Open>();
  readonly #places = Object.fromEntries(placeKinds.map((kind) => [kind, { count: 0, line: 0 }])) as Record<
    PlaceKind,
    Places
  >;
  #leastContrast: HtmlFacts['leastContrast'] = null;
  #hasLang = false;
  #preheader = '';
  #hasVisibleText = false;
  /** True if a style sheet sets colors, which this scan does not apply. */
  #hasSheetColours = false;
  #attributes = new Map<string, { value: string; line: number }>();
  /** Style sheet whose end tag has not been read yet. */
  #sheet: { start: number; line: number } | null = null;

  constructor(html: string, names: FeatureNames) {
    super(html);
    this.#names = names;
    this.#lines = new LineCounter(html);
    this.#css = new CssScan(names, (slug, line) => this.#use(slug, line));
  }

  facts(): HtmlFacts {
    this.readAll();
    return {
      bytes: Buffer.byteLength(this.source),
      uses: [...this.#uses.values()],
      places: this.#places,
      leastContrast: this.#leastContrast,
      hasLang: this.#hasLang,
      preheader: this.#preheader.replace(/\s+/g, ' ').trim(),
    };
  }

  protected end(tag: string, at: number): void {
    if (tag === 'style') this.#endSheet(at - 2);
    this.#open.close(tag);
  }

  override ontext(start: number, end: number): void {
    const around = this.#around();
    if (around.unseen || !/[\p{L}\p{N}\p{P}\p{S}]/u.test(this.source.slice(start, end))) return;
    if (!around.hidden) {
      this.#hasVisibleText = true;
      this.#judgeContrast(around, start);
    } else if (!this.#hasVisibleText && this.#preheader.length < 90) {
      this.#preheader += `${this.source.slice(start, Math.min(end, start + 90))} `;
    }
  }

  override oncomment(start: number): void {
    this.#found('html-comments', this.#lines.at(start));
  }

  override ondeclaration(start: number, end: number): void {
    if (/^doctype html$/i.test(this.source.slice(start, Math.min(end, start + 50)).trim()))
      this.#found('html-doctype', this.#lines.at(start));
  }

  override onend(): void {
    this.#endSheet(this.source.length);
  }

  #use(slug: string, line: number): void {
    const known = this.#uses.get(slug);
    if (known === undefined) this.#uses.set(slug, { slug, count: 1, line });
    else known.count += 1;
  }

  #found(name: string, line: number): void {
    for (const slug of this.#names.find(name)) this.#use(slug, line);
  }

  #place(kind: PlaceKind, line: number): void {
    const place = this.#places[kind];
    place.count += 1;
    if (place.line === 0) place.line = line;
  }

  #around(): Open {
    return this.#open.innermost ?? page;
  }

  protected begin(name: string, attributes: Attributes, isClosed: boolean, end: number): void {
    const line = this.#lines.at(this.at);
    this.#attributes = new Map();
    for (const [attribute, { value, at }] of attributes)
      this.#attributes.set(attribute, { value: value ?? '', line: this.#lines.at(at) });
    const given = (attribute: string) => this.#attributes.get(attribute)?.value;
    this.#found(`<${name}>`, line);
    if (name === 'input' || name === 'button') {
      const type = given('type') ?? (name === 'input' ? 'text' : 'submit');
      this.#found(`<${name} type=${type.toLowerCase()}>`, line);
    }
    for (const [attribute, { line }] of this.#attributes) this.#found(`[${attribute}]`, line);
    if (name === 'meta' && given('name')?.toLowerCase() === 'color-scheme')
      this.#found('html-meta-color-scheme', line);
    if (name === 'html' && given('lang')?.trim()) this.#hasLang = true;
    if (name === 'a' && given('href')?.startsWith('#')) this.#found('html-anchor-links', line);
    if (name === 'a' && /^mailto:/i.test(given('href') ?? '')) this.#found('html-mailto-links', line);
    const style = this.#attributes.get('style');
    const styles =
      style === undefined ? new Map<string, string>() : this.#css.attribute(style.value, style.line);
    if (name === 'img') this.#image(styles, line);
    for (const url of [name === 'img' ? given('src') : undefined, given('background')])
      if (url !== undefined) for (const feature of imageFeatures(url)) this.#found(feature, line);
    if (voidElements.has(name) || isClosed) return;
    if (name === 'style') this.#sheet = { start: end + 1, line: this.#lines.at(end) };
    this.#open.push(name, this.#inherit(name, styles));
  }

  #inherit(tag: string, styles: Map<string, string>): Open {
    const around = this.#around();
    const given = (attribute: string) => this.#attributes.get(attribute)?.value;
    const colour = styles.get('color') ?? (tag === 'font' ? given('color') : undefined);
    const ground = styles.get('background-color') ?? styles.get('background') ?? given('bgcolor');
    const isPicture = styles.has('background-image') || given('background') !== undefined;
    const isStyled = this.#hasSheetColours && (given('class') ?? given('id')) !== undefined;
    // Links without their own color are shown in the client's color.
    const inherited = tag === 'a' || isStyled ? null : around.colour;
    const behind = isPicture || isStyled ? null : around.ground;
    return {
      colour: colour === undefined ? inherited : parseColour(colour),
      ground: isPicture || ground === undefined ? behind : parseColour(ground),
      inline: {
        colour: around.inline.colour || colour !== undefined,
        ground: around.inline.ground || ground !== undefined,
      },
      hidden: around.hidden || this.#attributes.has('hidden') || isHidden(styles),
      unseen: around.unseen || unseen.has(tag),
    };
  }

  #image(styles: Map<string, string>, line: number): void {
    const sizes = ['width', 'height'].map((name) => this.#attributes.get(name)?.value ?? styles.get(name));
    if (sizes.every((size) => size !== undefined && /^\s*[01](px)?\s*$/.test(size))) {
      this.#place('pixel', line);
      return;
    }
    if (!this.#attributes.has('alt')) this.#place('noAlt', line);
    if (sizes.includes(undefined)) this.#place('noSize', line);
    if (/^\s*data:/i.test(this.#attributes.get('src')?.value ?? '')) this.#place('dataImage', line);
  }

  #judgeContrast({ colour, ground, inline }: Open, start: number): void {
    if (colour === null || ground === null) return;
    // Colors in a style sheet may replace the usual colors.
    if (this.#hasSheetColours ? !(inline.colour && inline.ground) : !(inline.colour || inline.ground)) return;
    const ratio = contrastRatio(colour, ground);
    if (!isLowContrast(ratio)) return;
    this.#place('lowContrast', this.#lines.at(start));
    if (ratio >= (this.#leastContrast?.ratio ?? Number.POSITIVE_INFINITY)) return;
    this.#leastContrast = { ratio, colours: `rgb(${colour}) on rgb(${ground})` };
  }

  #endSheet(end: number): void {
    if (this.#sheet === null) return;
    const { start, line } = this.#sheet;
    this.#sheet = null;
    const css = this.source.slice(start, end);
    this.#hasSheetColours ||= /[{;\s](?:color\s*:|background)/i.test(css);
    this.#css.sheet(css, line);
  }
}

/** Checks for styles that hide an element from every reader. */
function isHidden(styles: Map<string, string>): boolean {
  const zero = (property: string) => /^0(\.0+)?(px)?$/.test(styles.get(property) ?? '');
  return (
    /^none\b/i.test(styles.get('display') ?? '') ||
    /^hidden\b/i.test(styles.get('visibility') ?? '') ||
    zero('max-height') ||
    zero('font-size') ||
    zero('opacity')
  );
}
