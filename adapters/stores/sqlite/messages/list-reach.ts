import type { DatabaseSync } from 'node:sqlite';

/** Maximum rows that one list may read on the main thread, which answers all requests. Reading them takes some milliseconds. */
export const rowsInReach = 5000;

/** Error of a list that would read more rows than it may. A search reads them in slices. */
export class OutOfReach extends Error {}

/** Condition that counts a row, and throws OutOfReach beyond the bound. `column` is a column of the scanned table. */
export const withinReach = (column: string): string => `within_reach(${column})`;

/** Condition that also counts the rows that fail it. `column` is a column of the scanned table. */
export const countingMisses = (condition: string, column: string): string =>
  // SQLite evaluates the right side of OR first where the left one has a subquery.
  `iif(${condition}, 1, NOT ${withinReach(column)})`;

/**
 * Defines `withinReach` on a connection. The result begins the count with a number of rows, and throws OutOfReach if these
 * are too many.
 */
export function reachOf(db: DatabaseSync, mostRows: number): (rows: number) => void {
  let left = mostRows;
  const count = (rows: number) => {
    left -= rows;
    if (left < 0) throw new OutOfReach();
  };
  // The argument is unused. It ties the condition to the loop over its table.
  db.function('within_reach', (_column) => {
    count(1);
    return 1;
  });
  return (rows) => {
    left = mostRows;
    count(rows);
  };
}
