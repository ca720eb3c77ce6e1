import type { DatabaseSync } from 'node:sqlite';

/** Most rows that one list may read on the main thread, which answers all requests. Reading them takes some milliseconds. */
export const rowsInReach = 5000;

/** Error of a list that would read more rows than it may. A search reads them in slices. */
export class OutOfReach extends Error {}

/** Condition that counts a row, and throws OutOfReach beyond the bound. `column` is a column of the scanned table. */
export const withinReach = (column: string): string => `within_reach(${column})`;

/** Defines `withinReach` on a connection. The result restarts the count. */
export function reachOf(db: DatabaseSync, mostRows: number): () => void {
  let left = mostRows;
  // The argument is unused. It ties the condition to the loop over its table.
  db.function('within_reach', (_column) => {
    left -= 1;
    if (left < 0) throw new OutOfReach();
    return 1;
  });
  return () => {
    left = mostRows;
  };
}
