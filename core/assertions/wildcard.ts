/**
 * Matches the whole of `text` against a pattern in which `*` stands for any characters and `?` for one character. Ignores case. Takes
 * time up to the product of both lengths, because it backtracks only to the last star.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  const signs = [...pattern.toLowerCase()];
  const given = [...text.toLowerCase()];
  let sign = 0;
  let star = -1;
  let after = 0;
  for (let at = 0; at < given.length; ) {
    if (signs[sign] === '*') {
      star = sign;
      after = at;
      sign += 1;
    } else if (signs[sign] === '?' || signs[sign] === given[at]) {
      sign += 1;
      at += 1;
    } else if (star >= 0) {
      sign = star + 1;
      after += 1;
      at = after;
    } else return false;
  }
  return signs.slice(sign).every((rest) => rest === '*');
}
