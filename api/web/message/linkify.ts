/** Piece of text, with its URL if it is a link. */
export type Piece = { text: string; url: string | null };

/** Checks whether a URL may become a link on the page, because an email can use any scheme. */
export const isWebLink = (url: string) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);

/** Maximum characters of a URL that becomes a link. The rest of a longer URL remains text. */
const longest = 8192;
/** Maximum number of links per text, because more links make a page slow to draw. Further URLs remain text. */
const mostLinks = 2000;

/** Splits text at its URLs. A URL excludes trailing punctuation. */
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

/** Removes trailing punctuation from a URL. A closing bracket stays if the URL contains its opening bracket. */
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
