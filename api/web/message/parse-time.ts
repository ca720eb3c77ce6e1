/** Time that parsing may take, in ms. Showing a mail parses its HTML three times. */
const budgetMs = 200;
/** Length of HTML that the parser takes at once: about 50 ms for elements that are never closed, mostly under 1 ms. */
const pieceLength = 16_384;

/**
 * Tells whether the browser parses this HTML within the budget. A busy machine can make one parse slow, so HTML is
 * refused after two of them. HTML of one piece is never refused.
 */
export const isQuickToParse = (html: string): boolean =>
  html.length <= pieceLength || isParsedInTime(html) || isParsedInTime(html);

/**
 * Parses HTML in a document that loads and runs nothing. The parser takes quadratic time if elements are never closed,
 * and cannot be interrupted: so it gets the HTML in pieces.
 */
function isParsedInTime(html: string): boolean {
  const probe = document.implementation.createHTMLDocument('');
  const until = performance.now() + budgetMs;
  probe.open();
  for (let at = 0; at < html.length; at += pieceLength) {
    probe.write(html.slice(at, at + pieceLength));
    if (performance.now() > until) return false;
  }
  return true;
}
