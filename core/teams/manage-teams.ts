import type { Team } from '#core/access/people.ts';
import type { RowStore } from '#core/change.ts';
import type { Cascade } from '#core/domains/domain.ts';
import { invalid, NotFound, unlessTaken } from '#core/errors.ts';
import { type Id, parseId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { allOf } from '#core/page.ts';
import { kubernetes } from './audit-log.ts';
import { revoke } from './member-changes.ts';
import { type AuditPorts, administrator, recordAction } from './record-action.ts';
import type { TeamStore } from './team.ts';
import { addTeam, deleteTeam, endInvitations, refuseNamespace } from './team-changes.ts';

type Ports = AuditPorts & { rows: RowStore; teams: TeamStore };

/** Maximum length of a team's name, in code points. */
export const mostTeamNameCharacters = 100;

/** Creates a team that `founder` owns. Throws Invalid. */
export function createTeam(
  { rows, clock }: Pick<Ports, 'rows' | 'clock'>,
  founder: Id,
  name: string,
): Promise<Team> {
  refuseNamespace(name);
  return rows.change(addTeam, {
    user: founder,
    name,
    kind: 'shared',
    now: clock(),
    most: limits.teams.ofUser,
  });
}

/** Creates a managed team that has no members. Throws Invalid. */
export async function addManagedTeam(ports: Ports, name: string): Promise<Team> {
  refuseNamespace(name);
  const length = [...name].length;
  if (length < 1 || length > mostTeamNameCharacters)
    throw invalid('name', `must have 1 to ${mostTeamNameCharacters} characters`);
  if (/\p{Cc}|^\s*$/u.test(name)) throw invalid('name', 'must not be blank or contain control characters');
  const team = await unlessTaken(ports.rows.change(addTeam, { name, kind: 'managed', now: ports.clock() }));
  if (team === null) throw invalid('name', `the managed team ${name} already exists`);
  await recordAction(ports, team.id, administrator, 'team.created', name);
  return team;
}

/**
 * Removes a team of any kind or, on behalf of its owner (`byOwner`), only a shared team. Memberships and keys end immediately; domains
 * and mail are removed later. Throws NotFound and Invalid.
 */
export async function removeTeam(
  { rows, clock, cascade }: Pick<Ports, 'rows' | 'clock'> & { cascade: Cascade },
  team: Id,
  { byOwner = false } = {},
): Promise<Team> {
  const removed = await rows.change(deleteTeam, { team, now: clock(), byOwner });
  cascade.begin();
  return removed;
}

/**
 * Removes a managed or shared team with everything that it owns. Identifies a managed team by its name, and a shared team by its name or,
 * if several have that name, by its ID. Throws NotFound, and throws Invalid if several teams have the name.
 */
export async function removeNamedTeam(ports: Ports & { cascade: Cascade }, nameOrId: string): Promise<Team> {
  const team = await findNamed(ports, nameOrId);
  const members = await allOf((page) => ports.rows.list('members', { team: team.id }, page));
  await removeTeam(ports, team.id);
  // The team's own audit log is removed with the team.
  const personal = members.map(({ userId }) => userId);
  await recordAction(ports, personal, administrator, 'team.deleted', team.name);
  return team;
}

async function findNamed({ rows, teams }: Ports, nameOrId: string): Promise<Team> {
  const managed = await teams.find({ managed: nameOrId });
  if (managed !== null) return managed;
  const id = parseId(nameOrId);
  const all = await allOf((page) => rows.list('teams', {}, page));
  const found = all.filter((team) => team.name === nameOrId || team.id === id);
  const [team, ...others] = found;
  if (team === undefined)
    throw new NotFound(
      `no managed or shared team is named ${nameOrId}; to remove a personal team, remove its user`,
    );
  if (others.length > 0) {
    const ids = found.map((one) => one.id).join(', ');
    throw invalid('name', `several teams are named ${nameOrId}: use an id instead (${ids})`);
  }
  return team;
}

/**
 * Ends all memberships and invitations of a deleted namespace's team. A later namespace with the same name gets the same team, but may
 * belong to other people. Safe to repeat.
 */
export async function removeMembers(ports: Ports, team: Id): Promise<void> {
  const { rows } = ports;
  await rows.change(endInvitations, { team });
  for (const { userId, email } of await allOf((page) => rows.list('members', { team }, page))) {
    await rows.change(revoke, { team, user: userId, source: null });
    await recordAction(ports, team, kubernetes, 'member.removed', email);
  }
}
