import createDOMPurify from 'dompurify';
import { blank } from '../../frame-document.ts';
import { cleanSheet, cleanUrls } from './clean-css.ts';

/** Image from the web. A single-pixel image tells its sender that the email was read, and nobody sees whether it loads. */
export type WebImage = { url: string; isPixel: boolean };

export type CleanHtml = {
  /** Sanitized HTML of an email. */
  html: string;
  /** Style sheet of the email's own pictures. */
  pictures: string;
  /** Web images, listed once for each use. */
  web: WebImage[];
  /** True if the email has fields that accept typed text. */
  hasFields: boolean;
};

type Options = {
  /** True if images from the web are shown. */
  remote: boolean;
  /** `data:` URLs of the email's own images, by their Content-ID without brackets. */
  inline: Map<string, string>;
  /** Color scheme that applies to the email's media queries. */
  scheme: string;
};

/** Elements that have no use in an email, or that could send a request. */
const forbidden = 'form video audio source track picture dialog template meta link'.split(' ');

/** Elements that accept text. The attribute `contenteditable` is removed. */
const fields =
  'textarea, select, input:not([type=hidden], [type=checkbox], [type=radio], [type=image], [type=button], [type=submit], [type=reset])';

/**
 * Sanitizes an email's HTML. Removes scripts, frames and forms. Links open in their own tabs and send no referrer. Images are the email's
 * own, or from the web if `remote` allows it.
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
      // Sets a URL that cannot be loaded, which marks the image's place.
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

/** Finds the Content-IDs to which an email's HTML refers. */
export function contentIdsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/cid:[^\s"'<>)\\]+/gi), ([url]) => contentIdOf(url)));
}

/** Returns the Content-ID of a `cid:` URL (RFC 2392), or an empty string for any other URL. */
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

/** Makes a link safe. An email has no URL of its own, so a relative URL is removed, and a fragment leads within the email. */
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

/** Smallest image that loads. An image element that displays another picture by CSS must not look broken. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/**
 * Pictures of an email, stored once in its document however often the email shows them. They are in a style sheet because the frame has
 * an opaque origin and therefore may not load the page's `blob:` URLs.
 */
class Pictures {
  readonly #urls: Map<string, string>;
  /** Rules of the used pictures in the style sheet, by selector. */
  readonly #used = new Map<string, string>();

  /** `urls` are `data:` URLs by Content-ID. */
  constructor(urls: Map<string, string>) {
    this.#urls = urls;
  }

  /** Returns a picture's CSS value, or undefined if the email has no such picture. */
  inCss(contentId: string): string | undefined {
    const found = this.#find(contentId);
    if (!found) return undefined;
    this.#used.set(`:root ${found.name}`, `:root{--${found.name}:url("${found.url}")}`);
    return `var(--${found.name})`;
  }

  /** Makes an element show a picture in place of the attribute's value. Returns false if the email has no such picture. */
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

  /** Returns the style sheet of the pictures used so far. */
  sheet(): string {
    return [...this.#used.values()].join('');
  }

  #find(contentId: string): { name: string; url: string } | null {
    const url = this.#urls.get(contentId);
    return url === undefined ? null : { name: `picture-${[...this.#urls.keys()].indexOf(contentId)}`, url };
  }
}
