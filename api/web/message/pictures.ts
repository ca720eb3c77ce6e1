/** Smallest image that loads. The picture of an element that shows another by CSS must not be broken. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/**
 * Pictures of a mail, of which its document has one copy however often the mail shows them. The frame has an opaque origin, which
 * may not load a `blob:` URL of the page, so that a style sheet has the pictures.
 */
export class Pictures {
  readonly #urls: Map<string, string>;
  /** Places of the pictures in the style sheet that the mail uses, by their names there. */
  readonly #used = new Map<string, string>();

  /** `urls` are `data:` URLs by Content-ID. */
  constructor(urls: Map<string, string>) {
    this.#urls = urls;
  }

  /** Returns the value of a picture in CSS. Undefined if the mail has no such picture. */
  inCss(contentId: string): string | undefined {
    const found = this.#find(contentId);
    if (!found) return undefined;
    this.#used.set(`:root ${found.name}`, `:root{--${found.name}:url("${found.url}")}`);
    return `var(--${found.name})`;
  }

  /** Lets an element show a picture in place of what an attribute names. False if the mail has no such picture. */
  show(element: Element, attribute: string, contentId: string): boolean {
    const found = this.#find(contentId);
    if (!found || !(element instanceof HTMLElement)) return false;
    if (attribute === 'background') {
      element.removeAttribute(attribute);
      element.style.backgroundImage = this.inCss(contentId) ?? '';
    } else {
      const selector = `[data-picture="${found.name}"]`;
      this.#used.set(selector, `${selector}{content:url("${found.url}")}`);
      element.setAttribute(attribute, pixel);
      element.dataset.picture = found.name;
    }
    return true;
  }

  /** Returns the style sheet of the pictures that were used so far. */
  sheet(): string {
    return [...this.#used.values()].join('');
  }

  #find(contentId: string): { name: string; url: string } | null {
    const url = this.#urls.get(contentId);
    return url === undefined ? null : { name: `picture-${[...this.#urls.keys()].indexOf(contentId)}`, url };
  }
}
