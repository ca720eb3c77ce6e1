import type { Cascade } from '#core/domains/cascade.ts';
import { invalid, NotFound, withinQuota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { namespacePrefix, type Team, type TeamStore } from './team.ts';

type Ports = { teams: TeamStore; clock: () => Date };

const quota = { limit: 'teams.ofUser', most: limits.teams.ofUser, things: 'teams of this user' } as const;

/** Makes a team, whose owner is `founder`. Throws Invalid. */
export async function createTeam({ teams, clock }: Ports, founder: Id, name: string): Promise<Team> {
  refuseNamespace(name);
  const wanted = { name, kind: 'shared', founder, createdAt: clock() } as const;
  const team = await withinQuota(teams.insert(wanted, quota.most), 'name', quota);
  if (team === null) throw new NotFound();
  return team;
}

/** Renames a team. Throws NotFound, and Invalid for a team whose name an administrator or a namespace has given. */
export async function renameTeam({ teams }: Pick<Ports, 'teams'>, id: Id, name: string): Promise<Team> {
  if ((await find(teams, id)).kind === 'managed') throw invalid('name', 'is given by the administrator');
  refuseNamespace(name);
  const team = await teams.rename(id, name);
  if (team === null) throw new NotFound();
  return team;
}

/** Deletes a team with all that it owns. Throws NotFound, and Invalid for a personal team and for one that is managed. */
export async function deleteTeam(ports: Ports & { cascade: Cascade }, id: Id): Promise<Team> {
  const team = await find(ports.teams, id);
  if (team.kind === 'personal') throw invalid('team_id', 'is the personal team of a user, which stays');
  if (team.kind === 'managed') throw invalid('team_id', 'is managed: the administrator can remove it');
  return removeTeam(ports, team);
}

/** Removes a team of any kind. Its members and keys end at once, its domains and mail follow. Throws NotFound. */
export async function removeTeam(
  { teams, clock, cascade }: Ports & { cascade: Cascade },
  team: Team,
): Promise<Team> {
  if (!(await teams.softDelete(team.id, clock()))) throw new NotFound();
  cascade.begin();
  return team;
}

async function find(teams: TeamStore, id: Id): Promise<Team> {
  const team = await teams.find(id);
  if (team === null) throw new NotFound();
  return team;
}

/** Refuses a name that looks like that of a namespace's team. */
export function refuseNamespace(name: string): void {
  if (name.startsWith(namespacePrefix)) throw invalid('name', `must not begin with ${namespacePrefix}`);
}
