import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import { OverQuota } from '#core/errors.ts';

/** Returns a function that throws OverQuota if there are `most` rows of `from`. Without `most` there is no limit. */
export function quota(
  db: DatabaseSync,
  from: string,
): (bound: Record<string, SQLInputValue>, most?: number) => void {
  const count = query<{ total: number }>(db, `SELECT count(*) AS total ${from}`);
  return (bound, most) => {
    if (most !== undefined && (count.get(bound)?.total ?? 0) >= most) throw new OverQuota();
  };
}
