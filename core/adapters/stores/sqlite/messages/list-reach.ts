import type { DatabaseSync } from 'node:sqlite';

/** Rows that one list may look at on the thread that answers everybody: some milliseconds. */
const mostRows = 5000;

/** A list would have to look at more rows than it may; a search looks at them in slices. */
export class OutOfReach extends Error {}

/** An SQL condition that counts a row, and ends the statement by OutOfReach; `column` names one of the table that is scanned. */
export const withinReach = (column: string): string => `within_reach(${column})`;

/** Makes `withinReach` known to a connection. The result begins the count of a list. */
export function reachOf(db: DatabaseSync): () => void {
  let left = mostRows;
  // The argument is not read: it ties the condition to the loop over its table.
  db.function('within_reach', (_column) => {
    left -= 1;
    if (left < 0) throw new OutOfReach();
    return 1;
  });
  return () => {
    left = mostRows;
  };
}
