/** Piece of text, and its URL if it is a link. */
export type Piece = { text: string; url: string | null };

/** Checks whether a URL may become a link of the page: a mail can name any scheme. */
export const isWebLink = (url: string) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);

/** Longest URL that becomes a link, in characters. The rest of a longer one stays text. */
const longest = 8192;
/** Largest number of links of one text: a page with more is slow to draw. Further URLs stay text. */
const mostLinks = 2000;

/** Splits text at its URLs. The punctuation after a URL is no part of it. */
export function linkify(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/\bhttps?:\/\/[^\s<>"'`{}|\\^\p{Cc}]+/giu)) {
    if (pieces.length >= 2 * mostLinks) break;
    const url = withoutTail(found.slice(0, longest));
    if (!isWebLink(url)) continue;
    pieces.push({ text: text.slice(from, index), url: null }, { text: url, url });
    from = index + url.length;
  }
  pieces.push({ text: text.slice(from), url: null });
  return pieces.filter((piece) => piece.text !== '');
}

/** Removes the punctuation at the end of a URL. A closing bracket stays if the URL opens one. */
function withoutTail(url: string): string {
  let unopened = url.split(')').length - url.split('(').length;
  let end = url.length;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!'.,;:!?*_]'.includes(last)) break;
  }
  return url.slice(0, end);
}
