import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import { type Quota, requireRoom } from '#core/errors.ts';
import { isNotDeleted } from './soft-delete.ts';

const comingDomains = 'FROM domain_move WHERE to_team = :owner';

/** Domains of a team for its quota. Those on their way to it count, or several moves at a time would exceed the quota. */
export const countedDomains = `FROM domain INDEXED BY domain_owner
  WHERE owner IN (SELECT :owner UNION ALL SELECT -domain_id ${comingDomains}) AND deleted_at IS NULL`;

/** Accounts of a team for its quota, with those of domains on their way to it. */
export const countedAccounts = `FROM (
  SELECT id FROM account INDEXED BY account_owner WHERE owner = :owner AND ${isNotDeleted('account')}
  UNION ALL
  SELECT id FROM account INDEXED BY account_domain
    WHERE domain_id IN (SELECT domain_id ${comingDomains}) AND deleted_at IS NULL)`;

/** Returns a function that requires room in a quota of the rows of `from`. Without a quota there is no limit. */
export function quotaCheck(
  db: DatabaseSync,
  from: string,
): (bound: Record<string, SQLInputValue>, quota?: Quota) => void {
  const count = query<{ total: number }>(db, `SELECT count(*) AS total ${from}`);
  return (bound, quota) => {
    if (quota !== undefined) requireRoom(count.get(bound)?.total ?? 0, quota);
  };
}
