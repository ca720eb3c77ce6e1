import type { Link } from '#core/messages/content.ts';
import { conditions, dismissals } from './aside-words.ts';
import { looksLikeToken } from './link-acts.ts';
import {
  isGeneric,
  isOfDocument,
  isPointing,
  namesAction,
  purposeBeside,
  purposeOfLabel,
  purposeOfUrl,
} from './link-kinds.ts';
import { refusals } from './link-words.ts';
import { maxUrl, urlsInText } from './urls-in-text.ts';
import { WordIndex, wordsOf } from './words.ts';

/** Text before and after a link, and the text of the paragraph before. */
type Beside = [before: string, after: string, earlier?: string];

/** Link in an HTML body. */
export type Anchor = { href: string; text: string; beside?: Beside };

/** Visible text of an HTML body, one block per line, and its links with their texts. */
export type HtmlText = { text: string; anchors: Anchor[] };

/** Texts to search for links. `listUnsubscribe` is the value of all List-Unsubscribe fields (RFC 2369). */
export type LinkSources = { text: string | null; html: HtmlText | null; listUnsubscribe: string };

const maxLinks = 1000;
/** Maximum number of HTML links whose URL is compared with the beginning of a URL in the text. */
const maxLonger = 20;

/** Words next to a link that is only meant for readers who did not request the email. */
const asides = new WordIndex([
  ['condition', conditions],
  ['dismissal', dismissals],
]);

const refusing = new WordIndex([['refusal', refusals]]);

/** Certainty of a link's purpose, depending on its source: the link's own text, its URL, or a sentence next to it. */
const certainty = { label: 8, url: 4, header: 3, beside: 2, none: 0 };

/**
 * Link, and how certain its purpose is. `closed`: the link's text says that the link has no purpose. `aside`: the link is meant for
 * readers who did not request the email. `named`: the link is a bare URL, and the words before it name something else.
 */
type Found = Link & { known: number; closed: boolean; aside: boolean; named?: boolean };

/**
 * Finds a message's http and https links in its HTML, its text and its List-Unsubscribe fields, each URL once. Also finds the main link,
 * which is null if no web link has a purpose.
 */
export function readLinks(sources: LinkSources, subject: string): { links: Link[]; mainLink: string | null } {
  const found = findLinks(sources);
  const mainLink = mainLinkOf(found, subject, sources.html !== null);
  return {
    links: found.map(({ url, text, kind }) => ({ url, text, kind })),
    mainLink: mainLink?.url ?? null,
  };
}

function findLinks({ text, html, listUnsubscribe }: LinkSources): Found[] {
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
  const inAnchors = new Set<string>();
  // Mail programs also make links of an HTML body's other URLs.
  const shown = text?.trim() ? text : (html?.text ?? '');
  if (shown !== text) {
    const labels = html?.anchors.map((anchor) => anchor.text).join('\n') ?? '';
    for (const { url } of urlsInText(labels)) inAnchors.add(url);
  }
  for (const { url, before, after, rest } of urlsInText(shown)) {
    if (shown !== text && (inAnchors.has(url) || !looksLikeToken(url))) continue;
    const longer = longerOf(whole, url, rest);
    // A bare URL adds nothing to a link whose label states its purpose.
    if (longer?.known === certainty.label) continue;
    const found = ofAnchor({ href: url, text: '', beside: [before, after] });
    if (longer === null) add({ ...found, named: isNamed(before, after) });
    else join(longer, found);
  }
  // RFC 2369 section 2: URLs are in angle brackets and separated by commas.
  for (const [, target] of listUnsubscribe.matchAll(/<([^<>]*)>/g)) {
    const url = (target ?? '').replace(/\s+/g, '');
    if (isWeb(url) || /^mailto:/i.test(url)) {
      add({ url, text: '', kind: 'unsubscribe', known: certainty.header, closed: false, aside: false });
    }
  }
  return [...links.values()];
}

/**
 * Chooses an email's main link. The subject influences the choice, and supplies the purpose if no link states one. Never chooses a link
 * for readers who did not request the email.
 */
function mainLinkOf(links: Found[], subject: string, hasHtml: boolean): Found | null {
  if (links.length === 0) return null;
  const candidates = links.filter(
    ({ url, kind, aside }) =>
      kind !== 'other' && kind !== 'unsubscribe' && !aside && /^https?:\/\/[^/]/i.test(url),
  );
  const about = isDone(subject) ? null : purposeOfLabel(subject);
  if (candidates.length === 0) {
    if (about === null || about === 'none' || about === 'unsubscribe') return null;
    const only = onlyToken(links, hasHtml);
    if (only !== null) only.kind = about;
    return only;
  }
  let best: { link: Found; score: number } | null = null;
  for (const link of candidates) {
    const { url, kind, known } = link;
    const token = looksLikeToken(url);
    // The URL of an ordinary sign-in page, which footers link to, contains no token.
    const isPage = kind === 'login' && !token;
    const isAbout = kind === about && !(isPage && known < certainty.label);
    const score = known + (token ? 3 : isPage ? -2 : 0) + (isAbout ? 5 : 0);
    if (best === null || score > best.score) best = { link, score };
  }
  return best?.link ?? null;
}

/** Checks for a subject that reports something that happened: `Your booking is confirmed`, `New sign-in to your account`. */
function isDone(subject: string): boolean {
  return /\bnew (?:sign|log)[ -]?in\b|\b(?:confirmed|verified|activated|(?:been|was|password) (?:changed|updated)|(?:been|was) reset|successful(?:ly)?|confirmée?s?|confirmad[oa]s?|confermat[oa]|bevestigd|potwierdzon[eay]|bekräftad|bekræftet|bekreftet)(?!\p{L})|подтвержд[её]н|підтверджен|onaylandı/iu.test(
    subject.slice(0, 998),
  );
}

/**
 * Returns the only clickable link with a token, if no link states its purpose: "Get started" in an invitation. If click tracking gives
 * several links a token, returns the only one that shows its URL, or the only one with a label such as "click here". An HTML link without
 * text is an image. Links that refuse something do not count.
 */
function onlyToken(links: Found[], hasHtml: boolean): Found | null {
  const found = links.filter(
    ({ url, text, kind, closed, aside }) =>
      kind === 'other' &&
      (text !== '' || !hasHtml) &&
      !closed &&
      !aside &&
      refusing.in(wordsOf(text)).size === 0 &&
      isWeb(url) &&
      looksLikeToken(url),
  );
  const shown = found.filter(({ text }) => looksLikeToken(text));
  const generic = found.length === 1 ? found : found.filter(({ text }) => isPointing(text));
  const [only, ...others] = shown.length > 0 ? shown : generic;
  return only && others.length === 0 && !only.named ? only : null;
}

/**
 * Checks whether the words before a bare URL name what it leads to. The words are on the URL's line, or end the previous line with a
 * colon. Words next to the URL that send the reader there do not name it.
 */
function isNamed(before: string, after: string): boolean {
  const label = before.trimEnd().split('\n').at(-1) ?? '';
  if (isOfDocument(label)) return true;
  if ((before.endsWith('\n') && !/[:：]$/.test(label)) || namesAction(label)) return false;
  return !namesAction(/^\s?\p{L}[^.!?\n]{0,80}/u.exec(after)?.[0] ?? '');
}

function ofAnchor({ href, text, beside = ['', ''] }: Anchor): Found {
  const purpose = purposeOfAnchor(href, text, beside);
  const aside = purpose.kind !== 'unsubscribe' && isAside(text, beside);
  return { url: href, text, ...purpose, aside };
}

function purposeOfAnchor(
  href: string,
  text: string,
  [before, after, earlier]: Beside,
): Pick<Found, 'kind' | 'known' | 'closed'> {
  const said = purposeOfLabel(text);
  if (said === 'none') return { kind: 'other', known: certainty.label, closed: true };
  if (said !== null) return { kind: said, known: certainty.label, closed: false };
  const named = purposeOfUrl(href);
  // `View your order` may require a sign-in, but signing in is not its purpose. `No, it was not me` denies a sign-in.
  const ofUrl = named === 'login' && (isOfDocument(text) || isConditional(text)) ? null : named;
  // A sign-in script may also reset a password: `wp-login.php?key=…`.
  const mayReset = ofUrl === 'login' && looksLikeToken(href);
  const near =
    (ofUrl === null || mayReset) && isGeneric(text)
      ? purposeBeside(before, after, looksLikeToken(href), earlier)
      : null;
  if (near !== null && (ofUrl === null || near === 'reset')) {
    return { kind: near, known: certainty.beside, closed: false };
  }
  if (ofUrl === null || ofUrl === 'none') return { kind: 'other', known: certainty.none, closed: false };
  return { kind: ofUrl, known: certainty.url, closed: false };
}

/** Merges another mention of a link into the link. A mention that has text says more about whom the link is for than a bare URL. */
function join(known: Found, other: Found): void {
  if (other.text !== '') known.aside = other.aside && (known.aside || known.text === '');
  else if (known.text === '') known.aside &&= other.aside;
  if (!other.named) known.named = false;
  if (known.text === '') known.text = other.text;
  if (other.known <= known.known || known.closed) return;
  Object.assign(known, { kind: other.kind, known: other.known, closed: other.closed });
}

/**
 * Finds the HTML link whose URL begins with a URL that line wrapping cut off in the text. `rest` is the beginning of the next line if the
 * URL ends its line. A parent page, such as `https://a.test/` for `https://a.test/x`, is a separate link unless the next line continues
 * with the missing part.
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

/**
 * Checks whether a link is only meant for a reader who did not request the email: "Not you? Change your password." The condition is in
 * the link's text, or next to the link in the same sentence. A line break at the end of `before` shows that its last sentence is on an
 * earlier line: that sentence applies to the link if it is unfinished, or says what the link does.
 */
function isAside(label: string, [before, after]: Beside): boolean {
  if (isConditional(label)) return true;
  const behind = /^[\s,]*[^.!。！\n]*/.exec(after)?.[0] ?? '';
  // A capital letter begins a new sentence.
  if (/^[\s,]*[\p{Ll}\p{Lo}]/u.test(behind) && isConditional(behind)) return true;
  const own = lastSentence(before);
  if (!isConditional(own)) return false;
  if (!before.endsWith('\n') || /[:：,，、?？]\s*$/.test(own.slice(-10))) return true;
  const rest = own
    .split(/[,，、?？;:：]|—|–/)
    .filter((clause) => !asides.in(wordsOf(clause)).has('condition'));
  return namesAction(rest.join(','));
}

function isConditional(text: string): boolean {
  if (text === '') return false;
  const found = asides.in(wordsOf(text));
  return found.has('condition') && !found.has('dismissal');
}

/**
 * Returns the text after the last end of a sentence, or the sentence at the end of an earlier line. A question counts as one sentence
 * with its answer.
 */
function lastSentence(before: string): string {
  let end = before.length;
  if (before.endsWith('\n')) while (end > 0 && ' \n.!。！'.includes(before.charAt(end - 1))) end--;
  let start = end;
  while (start > 0 && !isEnd(before, start - 1)) start--;
  return before.slice(start, end);
}

function isEnd(text: string, at: number): boolean {
  const sign = text.charAt(at);
  return (
    sign === '。' || sign === '！' || ((sign === '.' || sign === '!') && /^\s?$/.test(text.charAt(at + 1)))
  );
}
