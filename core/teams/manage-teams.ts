import type { Cascade } from '#core/domains/cascade.ts';
import { invalid, NotFound } from '#core/errors.ts';
import { parseId } from '#core/ids.ts';
import { allOf } from '#core/page.ts';
import { refuseNamespace, removeTeam } from './change-team.ts';
import { administrator, type NotePorts, noteAction } from './note-action.ts';
import type { Team, TeamStore } from './team.ts';

type Ports = NotePorts & { teams: TeamStore };

/** Most characters of a team's name, in code points. */
export const mostTeamNameCharacters = 100;

/** Makes a managed team, without members. Throws Invalid. */
export async function addManagedTeam(ports: Ports, name: string): Promise<Team> {
  refuseNamespace(name);
  const length = [...name].length;
  if (length < 1 || length > mostTeamNameCharacters)
    throw invalid('name', `must have 1 to ${mostTeamNameCharacters} characters`);
  if (/\p{Cc}/u.test(name)) throw invalid('name', 'must not contain control characters');
  const wanted = { name, kind: 'managed', founder: null, createdAt: ports.clock() } as const;
  const team = await ports.teams.insert(wanted);
  if (team === null) throw invalid('name', `there is a managed team ${name} already`);
  await noteAction(ports, team.id, administrator, 'team.created', name);
  return team;
}

/**
 * Removes a managed or shared team with all that it owns: a managed one by its name, a shared one by its name or, where several
 * have that name, by its id. Throws NotFound, and Invalid for a name that several teams fit.
 */
export async function removeNamedTeam(ports: Ports & { cascade: Cascade }, nameOrId: string): Promise<Team> {
  const team = await findNamed(ports.teams, nameOrId);
  const members = await allOf((page) => ports.teams.members(team.id, page));
  await removeTeam(ports, team);
  // The audit log of the team goes with it.
  const personal = members.map(({ userId }) => userId);
  await noteAction(ports, personal, administrator, 'team.deleted', team.name);
  return team;
}

async function findNamed(teams: TeamStore, nameOrId: string): Promise<Team> {
  const managed = await teams.findManaged(nameOrId);
  if (managed !== null) return managed;
  const id = parseId(nameOrId);
  const all = await allOf((page) => teams.list(page));
  const found = all.filter((team) => team.name === nameOrId || team.id === id);
  const [team, ...others] = found;
  if (team === undefined)
    throw new NotFound(`there is no managed or shared team ${nameOrId}; a personal team goes with its user`);
  if (others.length > 0) {
    const ids = found.map((one) => one.id).join(', ');
    throw invalid('name', `several teams are called ${nameOrId}: remove one by its id, of ${ids}`);
  }
  return team;
}
