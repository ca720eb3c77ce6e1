import type { Link, LinkKind } from '#core/messages/content.ts';
import type { HtmlText } from './html-text.ts';
import { kindOf } from './link-words.ts';

/** Where links are looked for. `listUnsubscribe` is the value of the fields of that name (RFC 2369). */
export type LinkSources = { text: string | null; html: HtmlText | null; listUnsubscribe: string };

const MAX_TEXT = 262_144;
const MAX_LINKS = 1000;
const MAX_URL = 8192;

/** The http and https links of a message: those of its HTML, of its text, of List-Unsubscribe; each URL once. */
export function findLinks({ text, html, listUnsubscribe }: LinkSources): Link[] {
  const links = new Map<string, Link>();
  const add = (url: string, label: string, kind: LinkKind): void => {
    const known = links.get(url);
    if (known !== undefined) {
      if (known.text === '') known.text = label;
      if (known.kind === 'other') known.kind = kind;
    } else if (links.size < MAX_LINKS && url.length <= MAX_URL && URL.canParse(url)) {
      links.set(url, { url, text: label, kind });
    }
  };
  for (const { href, text: label } of html?.anchors ?? []) {
    const kind = kindOf(label) ?? kindOf(readable(href)) ?? 'other';
    const wanted = isWeb(href) || (kind === 'unsubscribe' && /^mailto:/i.test(href));
    if (wanted) add(href, label, kind);
  }
  for (const { url, before } of urlsOf((text ?? '').slice(0, MAX_TEXT))) {
    add(url, '', kindOf(readable(url)) ?? kindOf(before) ?? 'other');
  }
  // RFC 2369 section 2: URLs in angle brackets, set apart by commas.
  for (const [, target] of listUnsubscribe.matchAll(/<([^<>]*)>/g)) {
    const url = (target ?? '').replace(/\s+/g, '');
    if (isWeb(url) || /^mailto:/i.test(url)) add(url, '', 'unsubscribe');
  }
  return [...links.values()];
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

/** A URL's path and query, in words; its host tells nothing about one link among others. */
function readable(url: string): string {
  const path = /^[a-z]+:\/\/[^/?#]*(.*)$/is.exec(url)?.[1] ?? url;
  return path.slice(0, 1000).replace(/%20|\+|_/g, ' ');
}

/** URLs in running text, and what stands before each: on its line, or on the last line that says something. */
function urlsOf(text: string): { url: string; before: string }[] {
  const found: { url: string; before: string }[] = [];
  let heading = '';
  for (const line of text.split('\n')) {
    let from = 0;
    for (const match of line.matchAll(/https?:\/\/[^\s<>"`{}|\\^\p{Cc}]+/giu)) {
      const own = line.slice(Math.max(from, match.index - 200), match.index);
      found.push({
        url: trimUrl(match[0].slice(0, MAX_URL + 1)),
        before: /\p{L}/u.test(own) ? own : heading,
      });
      from = match.index + match[0].length;
    }
    if (from === 0 && /\p{L}/u.test(line)) heading = line.slice(-200);
  }
  return found;
}

/** Without the punctuation that ends the sentence around it; a bracket stays where it closes one of the URL's own. */
function trimUrl(url: string): string {
  let unopened = url.split(')').length - url.split('(').length;
  let end = url.length;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    if (!'.,;:!?\'")]*_。、，！？）」'.includes(last) || (last === ')' && unopened <= 0)) break;
    if (last === ')') unopened -= 1;
  }
  return url.slice(0, end);
}
