import type { User } from '#core/access/access.ts';
import type { Team } from '#core/access/people.ts';
import { highest, type Role, roleFrom } from '#core/access/role.ts';
import type { RowStore } from '#core/change.ts';
import { Invalid, unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { allOf } from '#core/page.ts';
import type { AuditStore } from './audit-log.ts';
import { grant, revoke } from './member-changes.ts';
import { recordAction } from './record-action.ts';
import type { TeamStore } from './team.ts';
import { addTeam } from './team-changes.ts';

/** Role that members of an identity provider group have in a managed team. */
export type GroupTeam = { group: string; team: string; role: Role };

type Ports = {
  rows: RowStore;
  teams: TeamStore;
  auditLog: AuditStore;
  groupTeams: GroupTeam[];
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
  metrics: { limitReached(limit: LimitName): void };
  clock: () => Date;
};

/** Updates a user's group memberships to match the groups' roles. Creates missing teams. Does not change other memberships. */
export async function joinTeams(
  ports: Ports,
  user: User,
  groups: string[],
  remoteAddress: string | null = null,
): Promise<void> {
  const { rows } = ports;
  const actor = { name: user.email, remoteAddress };
  const had = new Map<Id, Role>();
  for (const { id, grants } of await allOf((page) => rows.list('teamsOf', { user: user.id }, page))) {
    const role = roleFrom(grants, 'group');
    if (role !== null) had.set(id, role);
  }
  const given = new Set<Id>();
  for (const [name, role] of rolesOf(ports.groupTeams, groups)) {
    const { id } = await managedTeam(ports, name);
    given.add(id);
    const before = had.get(id);
    if (before === role || !(await join(ports, user, id, role))) continue;
    const action = before === undefined ? 'member.joined' : 'member.changed';
    await recordAction(ports, id, actor, action, `${user.email}: ${role}`);
  }
  for (const id of had.keys()) {
    if (given.has(id) || !(await rows.change(revoke, { team: id, user: user.id, source: 'group' }))) continue;
    await recordAction(ports, id, actor, 'member.removed', user.email);
  }
}

/** Returns the role that the groups grant in each team, the highest if several groups grant one. */
export function rolesOf(mapping: GroupTeam[], groups: string[]): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, team, role } of mapping)
    if (groups.includes(group)) roles.set(team, highest(role, roles.get(team) ?? role));
  return roles;
}

async function managedTeam({ rows, teams, clock }: Ports, name: string): Promise<Team> {
  for (;;) {
    const team =
      (await teams.find({ managed: name })) ??
      (await unlessTaken(rows.change(addTeam, { name, kind: 'managed', now: clock() })));
    if (team !== null) return team;
  }
}

/** Makes the user a member. If the team is full, the user can still sign in. */
async function join(
  { rows, clock, metrics, log }: Ports,
  { id: user }: User,
  team: Id,
  role: Role,
): Promise<boolean> {
  const given = { grant: { source: 'group', role }, now: clock(), most: limits.teams.members } as const;
  try {
    return (await rows.change(grant, { team, user, ...given })) !== null;
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    error.limits.forEach(metrics.limitReached);
    log.warn(
      { event: 'team.full', team, user },
      "a user could not join a group's team because the team is full",
    );
    return false;
  }
}
