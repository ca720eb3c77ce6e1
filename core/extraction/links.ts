import type { Link, LinkKind } from '#core/messages/content.ts';
import { looksLikeToken } from './link-acts.ts';
import { purposeBeside, purposeOfLabel, purposeOfUrl } from './link-kinds.ts';
import { maxUrl, urlsInText } from './urls-in-text.ts';

/** Link of an HTML body. `beside`: the texts before and after it, where its own says nothing of its purpose. */
export type Anchor = { href: string; text: string; beside?: [before: string, after: string] };

/** The visible text of an HTML body, one block a line, and its links with their texts. */
export type HtmlText = { text: string; anchors: Anchor[] };

/** Texts to search for links. `listUnsubscribe` is the value of the fields of that name (RFC 2369). */
export type LinkSources = { text: string | null; html: HtmlText | null; listUnsubscribe: string };

const maxLinks = 1000;
/** Links of the HTML that may begin as a URL of the text does. */
const maxLonger = 20;

/** How surely the purpose of a link is known: from its own text, its URL, or a sentence beside it. */
const certainty = { label: 8, url: 4, header: 3, beside: 2, none: 0 };

/** Link, with what is known of its purpose. `closed`: its text says that it has none. */
type Found = { url: string; text: string; kind: LinkKind; known: number; closed: boolean };

/** Finds the http and https links of a message in its HTML, its text and List-Unsubscribe; each URL once. */
export function findLinks({ text, html, listUnsubscribe }: LinkSources): Link[] {
  const links = new Map<string, Found>();
  const add = (found: Found): void => {
    const address = found.url.length <= maxUrl ? URL.parse(found.url)?.href : undefined;
    if (address === undefined) return;
    const known = links.get(address);
    if (known !== undefined) join(known, found);
    else if (links.size < maxLinks) links.set(address, found);
  };
  for (const anchor of html?.anchors ?? []) {
    const found = ofAnchor(anchor);
    if (isWeb(anchor.href) || (found.kind === 'unsubscribe' && /^mailto:/i.test(anchor.href))) add(found);
  }
  const whole = [...links.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
  for (const { url, before, after, rest } of urlsInText(text ?? '')) {
    const found = ofAnchor({ href: url, text: '', beside: [before, after] });
    const longer = longerOf(whole, url, rest);
    if (longer === null) add(found);
    else join(longer, found);
  }
  // RFC 2369 section 2: URLs in angle brackets, separated by commas.
  for (const [, target] of listUnsubscribe.matchAll(/<([^<>]*)>/g)) {
    const url = (target ?? '').replace(/\s+/g, '');
    const found: Found = { url, text: '', kind: 'unsubscribe', known: certainty.header, closed: false };
    if (isWeb(url) || /^mailto:/i.test(url)) add(found);
  }
  return Array.from(links.values(), ({ url, text: label, kind }) => ({ url, text: label, kind }));
}

/** Chooses the link that a mail is about, null where no link to the web has a purpose. Its subject tells which, too. */
export function mainLinkOf(links: Link[], subject: string): string | null {
  const about = purposeOfLabel(subject);
  let best: { url: string; score: number } | null = null;
  for (const { url, text, kind } of links) {
    if (kind === 'other' || kind === 'unsubscribe' || !/^https?:\/\/[^/]/i.test(url)) continue;
    const isLabelled = purposeOfLabel(text) === kind;
    const known = isLabelled
      ? certainty.label
      : purposeOfUrl(url) === kind
        ? certainty.url
        : certainty.beside;
    // A page to sign in, which footers link, has no token.
    const token = looksLikeToken(url) ? 3 : kind === 'login' ? -2 : 0;
    const score = known + token + (kind === about ? 5 : 0);
    if (best === null || score > best.score) best = { url, score };
  }
  return best?.url ?? null;
}

function ofAnchor({ href, text, beside }: Anchor): Found {
  const said = purposeOfLabel(text);
  const found = { url: href, text };
  if (said === 'none') return { ...found, kind: 'other', known: certainty.label, closed: true };
  if (said !== null) return { ...found, kind: said, known: certainty.label, closed: false };
  const ofUrl = purposeOfUrl(href);
  if (ofUrl !== null) return { ...found, kind: ofUrl, known: certainty.url, closed: false };
  const near = beside === undefined ? null : purposeBeside(...beside);
  return { ...found, kind: near ?? 'other', known: near ? certainty.beside : certainty.none, closed: false };
}

/** Adds what another mention of a link tells to it. */
function join(known: Found, other: Found): void {
  if (known.text === '') known.text = other.text;
  if (other.known <= known.known || known.closed) return;
  Object.assign(known, { kind: other.kind, known: other.known, closed: other.closed });
}

/**
 * Finds the link of the HTML whose URL begins with one of the text: a program that wraps lines cut it. `rest` is the beginning of the
 * next line where the URL ends its own. A page above another one, such as `https://a.test/` of `https://a.test/x`, is a link of its own,
 * unless the next line goes on with the other.
 */
function longerOf(sorted: Found[], url: string, rest: string): Found | null {
  let at = sorted.length;
  for (let low = 0; low < at; ) {
    const middle = (low + at) >>> 1;
    if ((sorted[middle]?.url ?? '') < url) low = middle + 1;
    else at = middle;
  }
  const isPage = /^https?:\/\/[^/?#]*\/?$|\/$/i.test(url);
  for (const link of sorted.slice(at, at + maxLonger)) {
    if (!link.url.startsWith(url)) return null;
    const missing = link.url.slice(url.length);
    const goesOn = rest !== '' && missing !== '' && (missing.startsWith(rest) || rest.startsWith(missing));
    if (goesOn || missing === '' || (!isPage && !missing.startsWith('/'))) return link;
  }
  return null;
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
