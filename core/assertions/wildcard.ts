/**
 * Checks a whole text against a pattern in which `*` stands for any characters. Case does not matter. Takes at most the
 * product of both lengths: what follows a star is looked for at each place once.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const given = text.toLowerCase();
  if (!given.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return given === first;
  let at = first.length;
  for (const piece of rest) {
    const found = given.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return given.length - last.length >= at && given.endsWith(last);
}
