import * as ofKeys from '#core/access/key-changes.ts';
import * as ofUsers from '#core/access/user-changes.ts';
import * as ofKnownAccounts from '#core/accounts/change-account.ts';
import * as ofNewAccounts from '#core/accounts/create-account.ts';
import type { Change } from '#core/change.ts';
import * as ofKnownDomains from '#core/domains/change-domain.ts';
import * as ofNewDomains from '#core/domains/create-domain.ts';
import * as ofFailures from '#core/failures/change-failures.ts';
import * as ofMailboxes from '#core/mailboxes/change-mailboxes.ts';
import * as ofMailRules from '#core/rules/change-mail-rules.ts';
import * as ofSearches from '#core/search/change-saved-searches.ts';
import * as ofShares from '#core/shares/change-shares.ts';
import * as ofMembers from '#core/teams/member-changes.ts';
import * as ofTeams from '#core/teams/team-changes.ts';

const all: object[] = [
  ...[ofUsers, ofKeys, ofMembers, ofTeams],
  ...[ofNewDomains, ofKnownDomains, ofNewAccounts, ofKnownAccounts, ofMailboxes],
  ofSearches,
  ofMailRules,
  ofFailures,
  ofShares,
].flatMap((module) => Object.values(module));

/** All changes by name, for a store that plans changes in a separate thread. */
export const changes: ReadonlyMap<string, Change<never, unknown>> = new Map(
  all.filter(isChange).map((change) => [change.name, change]),
);

function isChange(exported: object): exported is Change<never, unknown> {
  return 'plan' in exported;
}
