/** Time that parsing may take, in ms. Showing a mail parses its HTML three times. */
const budgetMs = 200;
const pieceLength = 16_384;

/**
 * Tells whether the browser parses this HTML within the budget. The parser takes quadratic time if elements are never
 * closed, and cannot be interrupted: so it gets the HTML in pieces, in a document that loads and runs nothing.
 */
export function isQuickToParse(html: string): boolean {
  const probe = document.implementation.createHTMLDocument('');
  const until = performance.now() + budgetMs;
  probe.open();
  for (let at = 0; at < html.length; at += pieceLength) {
    probe.write(html.slice(at, at + pieceLength));
    if (performance.now() > until) return false;
  }
  return true;
}
