const introLength = 140;

/** Returns the first 140 UTF-16 units of a text, with white space folded. A surrogate pair is never split. */
export function intro(text: string): string {
  // More white space than this makes the intro shorter than it could be.
  const folded = text
    .slice(0, 16 * introLength)
    .replace(/\s+/gu, ' ')
    .trim();
  const cut = folded.slice(0, introLength);
  return (/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut).trimEnd();
}
