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
