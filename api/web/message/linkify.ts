/** A piece of text, and where it leads if it is a URL. */
export type Piece = { text: string; url: string | null };

/** Whether a URL may be a link of ours: a mail can name any scheme. */
export const isWebLink = (url: string) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);

/** Cuts text where URLs begin and end; the punctuation after one is not of it. */
export function linkify(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/\bhttps?:\/\/[^\s<>"'`{}|\\^\p{Cc}]+/giu)) {
    const url = withoutTail(found);
    if (!isWebLink(url)) continue;
    pieces.push({ text: text.slice(from, index), url: null }, { text: url, url });
    from = index + url.length;
  }
  pieces.push({ text: text.slice(from), url: null });
  return pieces.filter((piece) => piece.text !== '');
}

/** A closing bracket stays where the URL opens one. */
function withoutTail(url: string): string {
  const trimmed = url.replace(/[.,;:!?*_\]]+$/, '');
  const unopened = trimmed.endsWith(')') && trimmed.split(')').length > trimmed.split('(').length;
  return unopened ? withoutTail(trimmed.slice(0, -1)) : trimmed;
}
