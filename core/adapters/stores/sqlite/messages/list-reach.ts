import type { DatabaseSync } from 'node:sqlite';

/** Rows that one list may read on the thread that answers everybody: some milliseconds. */
export const rowsInReach = 5000;

/** End of a list that would read more rows than it may. A search reads them in slices. */
export class OutOfReach extends Error {}

/** Condition that counts a row, and ends the statement by OutOfReach; `column` names one of the table that is scanned. */
export const withinReach = (column: string): string => `within_reach(${column})`;

/** Defines `withinReach` on a connection. The result restarts the count. */
export function reachOf(db: DatabaseSync, mostRows: number): () => void {
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
