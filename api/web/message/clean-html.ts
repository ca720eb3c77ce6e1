import createDOMPurify from 'dompurify';
import { cleanSheet, cleanUrls } from './clean-css.ts';

/** Sanitised HTML of a mail, and the hosts of the web images that were left out. */
export type CleanHtml = { html: string; heldBack: { images: number; hosts: string[] } };

type Options = {
  /** Tells whether images from the web are shown. */
  remote: boolean;
  /** `data:` URLs of the mail's own images, by their Content-ID without brackets. */
  inline: Map<string, string>;
};

/** Elements that have no use in a mail, or that could send a request. */
const forbidden = [
  'form',
  'video',
  'audio',
  'source',
  'track',
  'picture',
  'dialog',
  'template',
  'meta',
  'link',
];

/**
 * Sanitises a mail's HTML. Removes scripts, frames and forms. Links open in tabs of their own and send no referrer. Images
 * are the mail's own, or from the web if `remote` allows it.
 */
export function cleanHtml(html: string, { remote, inline }: Options): CleanHtml {
  const purify = createDOMPurify(window);
  const held: string[] = [];
  const keep = (raw: string): string => {
    const url = raw.trim();
    if (/^data:image\//i.test(url)) return url;
    if (/^cid:/i.test(url)) return inline.get(contentIdOf(url)) ?? blank;
    const web = /^\/\//.test(url) ? `https:${url}` : url;
    if (!/^https?:/i.test(web)) return blank;
    if (remote) return web;
    held.push(web);
    return blank;
  };
  purify.addHook('beforeSanitizeElements', (node) => {
    if (node.nodeName === 'STYLE') node.textContent = cleanSheet(node.textContent ?? '', keep);
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    for (const name of ['src', 'background', 'poster']) {
      const url = node.getAttribute(name);
      if (url !== null) setUrl(node, name, keep(url));
    }
    const style = node.getAttribute('style');
    if (style !== null && node instanceof HTMLElement) {
      node.setAttribute('style', cleanUrls(node.style.cssText, keep));
    }
    if (node.hasAttribute('href')) setLink(node);
  });
  const clean = purify.sanitize(html, {
    USE_PROFILES: { html: true },
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: forbidden,
    FORBID_ATTR: ['srcset', 'sizes', 'action', 'autoplay', 'target'],
    ADD_DATA_URI_TAGS: ['td', 'th', 'table', 'body', 'input'],
  });
  const hosts = new Set(held.map((url) => (URL.canParse(url) ? new URL(url).host : url)));
  return { html: clean, heldBack: { images: held.length, hosts: [...hosts] } };
}

/** Finds the Content-IDs that a mail's HTML refers to. */
export function contentIdsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/cid:[^\s"'<>)\\]+/gi), ([url]) => contentIdOf(url)));
}

const blank = 'data:,';

function contentIdOf(url: string): string {
  const id = url.trim().slice('cid:'.length);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

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
