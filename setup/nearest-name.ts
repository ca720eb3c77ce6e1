import { closest } from 'fastest-levenshtein';

/** Length to which a name from outside is cut, for the comparison and in messages. */
const comparedLength = 100;

/** Returns the known name with the smallest edit distance to `name`, or null if there is none at all. */
export function nearestName(name: string, known: readonly string[]): string | null {
  return known.length === 0 ? null : closest(name.slice(0, comparedLength), known);
}
