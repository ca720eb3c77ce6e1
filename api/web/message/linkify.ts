/** A piece of text, and where it leads if it is a URL. */
export type Piece = { text: string; url: string | null };

/** Tells whether a URL may be a link of ours: a mail can name any scheme. */
export const isWebLink = (url: string) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);

/** Longest URL that becomes a link; more of it stays text. */
const longest = 8192;
/** Links that one text may have: a page with more of them is slow to draw. The rest stays text. */
const mostLinks = 2000;

/** Cuts text where URLs begin and end; the punctuation after one is not of it. */
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

/** Leaves out the punctuation at the end. A closing bracket stays where the URL opens one. */
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
