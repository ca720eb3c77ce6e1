import createDOMPurify from 'dompurify';
import { blank } from '../../frame-document.ts';
import { cleanSheet, cleanUrls } from './clean-css.ts';

/** Image from the web. One of a single pixel is there to report that the mail was read, and nobody sees whether it is loaded. */
export type WebImage = { url: string; isPixel: boolean };

export type CleanHtml = {
  /** Sanitised HTML of a mail. */
  html: string;
  /** Style sheet of the mail's own pictures. */
  pictures: string;
  /** Each use of a web image. */
  web: WebImage[];
  /** True if the mail has fields that text can be typed into. */
  hasFields: boolean;
};

type Options = {
  /** True if images from the web are shown. */
  remote: boolean;
  /** `data:` URLs of the mail's own images, by their Content-ID without brackets. */
  inline: Map<string, string>;
  /** Color scheme that the mail's media queries see. */
  scheme: string;
};

/** Elements that have no use in a mail, or that could send a request. */
const forbidden = 'form video audio source track picture dialog template meta link'.split(' ');

/** Elements that receive text. The attribute `contenteditable` is removed. */
const fields =
  'textarea, select, input:not([type=hidden], [type=checkbox], [type=radio], [type=image], [type=button], [type=submit], [type=reset])';

/**
 * Sanitises a mail's HTML. Removes scripts, frames and forms. Links open in tabs of their own and send no referrer. Images
 * are the mail's own, or from the web if `remote` allows it.
 */
export function cleanHtml(html: string, { remote, inline, scheme }: Options): CleanHtml {
  const purify = createDOMPurify(window);
  const pictures = new Pictures(inline);
  const images: WebImage[] = [];
  let hasFields = false;
  const keep = (raw: string, isPixel = false): string => {
    const url = raw.trim();
    if (/^data:image\//i.test(url)) return url;
    const web = /^\/\//.test(url) ? `https:${url}` : url;
    if (!/^https?:/i.test(web)) return blank;
    images.push({ url: web, isPixel });
    return remote ? web : blank;
  };
  const inScheme = (text: string) =>
    text.replace(/\(\s*prefers-color-scheme\s*:\s*(\w+)\s*\)/gi, (_, name: string) =>
      name.toLowerCase() === scheme ? '(min-width:0)' : '(max-width:0)',
    );
  const keepInCss = (url: string) => pictures.inCss(contentIdOf(url)) ?? keep(url);
  purify.addHook('beforeSanitizeElements', (node) => {
    if (!(node instanceof HTMLStyleElement)) return;
    node.textContent = inScheme(cleanSheet(node.textContent ?? '', keepInCss));
    if (node.media) node.media = inScheme(node.media);
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    const style = node.getAttribute('style');
    if (style !== null && node instanceof HTMLElement) {
      node.setAttribute('style', cleanUrls(node.style.cssText, keepInCss));
    }
    for (const name of ['src', 'background', 'poster']) {
      const url = node.getAttribute(name);
      if (url === null || pictures.show(node, name, contentIdOf(url))) continue;
      // An image keeps a URL that cannot be loaded, so that its place is marked.
      if (name === 'src' && contentIdOf(url) !== '') node.setAttribute(name, blank);
      else setUrl(node, name, keep(url, isPixelOf(node)));
    }
    if (node.hasAttribute('href')) setLink(node);
    if (node.matches(fields)) hasFields = true;
  });
  const clean = purify.sanitize(html, {
    USE_PROFILES: { html: true },
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: forbidden,
    FORBID_ATTR: ['srcset', 'sizes', 'action', 'autoplay', 'target'],
    ADD_DATA_URI_TAGS: ['td', 'th', 'table', 'body', 'input'],
  });
  return { html: clean, pictures: pictures.sheet(), web: images, hasFields };
}

/** Finds the Content-IDs that a mail's HTML refers to. */
export function contentIdsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/cid:[^\s"'<>)\\]+/gi), ([url]) => contentIdOf(url)));
}

/** Returns the Content-ID of a `cid:` URL (RFC 2392), or an empty string for any other. */
function contentIdOf(url: string): string {
  const [, id = ''] = /^cid:(.*)$/is.exec(url.trim()) ?? [];
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

const isPixelOf = (node: Element) =>
  ['width', 'height'].every((name) => /^\s*[01](?:px)?\s*$/.test(node.getAttribute(name) ?? ''));

function setUrl(node: Element, name: string, url: string): void {
  if (url === blank) node.removeAttribute(name);
  else node.setAttribute(name, url);
}

/** Makes a link safe. A mail has no address of its own: a relative URL is removed, and a fragment leads within the mail. */
function setLink(node: Element): void {
  const href = node.getAttribute('href')?.trim() ?? '';
  if (href.startsWith('#')) {
    node.setAttribute('href', `about:srcdoc${href}`);
  } else if (/^(https?|mailto|tel|sms):/i.test(href)) {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  } else {
    node.removeAttribute('href');
  }
}

/** Smallest image that loads. The picture of an element that shows another by CSS must not be broken. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/**
 * Pictures of a mail, of which its document has one copy however often the mail shows them. The frame has an opaque origin, which
 * may not load a `blob:` URL of the page, so that a style sheet has the pictures.
 */
class Pictures {
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
