import type { User } from '#core/access/access.ts';
import { highest, type Role } from '#core/access/role.ts';
import { OverQuota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { AuditStore } from './audit-log.ts';
import { noteAction } from './note-action.ts';
import type { Team, TeamStore } from './team.ts';

/** Role in a managed team that the members of a group of the identity provider have. */
export type GroupTeam = { group: string; team: string; role: Role };

type Ports = {
  teams: TeamStore;
  auditLog: Pick<AuditStore, 'record'>;
  groupTeams: GroupTeam[];
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
  metrics: { limitReached(limit: LimitName): void };
  clock: () => Date;
};

/**
 * Makes the memberships that a user has by groups equal to those that the groups give. Makes the teams that are missing.
 * Other memberships stay.
 */
export async function joinTeams(
  ports: Ports,
  user: User,
  groups: string[],
  remoteAddress: string | null = null,
): Promise<void> {
  const { teams } = ports;
  const actor = { name: user.email, remoteAddress };
  const had = new Map((await teams.grantsOf(user.id, 'group')).map(({ team, role }) => [team, role]));
  const given = new Set<Id>();
  for (const [name, role] of rolesOf(ports.groupTeams, groups)) {
    const { id } = await managedTeam(ports, name);
    given.add(id);
    const before = had.get(id);
    if (before === role || !(await join(ports, user, id, role))) continue;
    const action = before === undefined ? 'member.joined' : 'member.changed';
    await noteAction(ports, id, actor, action, `${user.email}: ${role}`);
  }
  for (const id of had.keys()) {
    if (given.has(id) || !(await teams.revoke(id, user.id, 'group'))) continue;
    await noteAction(ports, id, actor, 'member.removed', user.email);
  }
}

/** Returns the role in each team that the groups give, the highest where several do. */
export function rolesOf(mapping: GroupTeam[], groups: string[]): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, team, role } of mapping)
    if (groups.includes(group)) roles.set(team, highest(role, roles.get(team) ?? role));
  return roles;
}

/** Finds or makes the managed team with a name. */
async function managedTeam({ teams, clock }: Ports, name: string): Promise<Team> {
  for (;;) {
    const wanted = { name, kind: 'managed', founder: null, createdAt: clock() } as const;
    const team = (await teams.findManaged(name)) ?? (await teams.insert(wanted));
    if (team !== null) return team;
  }
}

/** Makes the user a member. A full team does not keep them from signing in. */
async function join(ports: Ports, { id }: User, team: Id, role: Role): Promise<boolean> {
  const most = limits.teams.members;
  try {
    return (
      (await ports.teams.grant(team, id, { source: 'group', role }, { now: ports.clock(), most })) !== null
    );
  } catch (error) {
    if (!(error instanceof OverQuota)) throw error;
    ports.metrics.limitReached('teams.members');
    ports.log.warn({ event: 'team.full', team, user: id }, 'a group could not join a team, which is full');
    return false;
  }
}
