import type { Change } from '#core/access/people.ts';
import * as ofUsers from '#core/access/user-changes.ts';
import * as ofMembers from './member-changes.ts';
import * as ofTeams from './team-changes.ts';

const all: object[] = [ofUsers, ofMembers, ofTeams].flatMap((module) => Object.values(module));

/** Changes of people by their names, for a store that plans them in a thread of its own. */
export const changes: ReadonlyMap<string, Change<never, unknown>> = new Map(
  all.filter(isChange).map((change) => [change.name, change]),
);

function isChange(exported: object): exported is Change<never, unknown> {
  return 'plan' in exported;
}
