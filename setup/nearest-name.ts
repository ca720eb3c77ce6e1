import { closest, distance } from 'fastest-levenshtein';

/** Length to which an external name is truncated for comparisons and messages. */
const comparedLength = 100;

/** Returns the known name with the smallest edit distance to `name`, or null if there are no known names. */
export function nearestName(name: string, known: readonly string[]): string | null {
  return known.length === 0 ? null : closest(name.slice(0, comparedLength), known);
}

/** Checks whether a name resembles another: it is a misspelling or a part of the other. */
export function isLike(name: string, other: string): boolean {
  const cut = name.slice(0, comparedLength);
  return (
    distance(cut, other) <= Math.max(1, Math.floor(cut.length / 3)) || (cut.length > 3 && other.includes(cut))
  );
}
