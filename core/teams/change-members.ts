import type { Role } from '#core/access/role.ts';
import { invalid, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { LastOwner, Member, TeamStore } from './team.ts';

type Ports = { teams: TeamStore; clock: () => Date };

/**
 * Changes the role of a member. Throws NotFound, and Invalid for the last owner, for the user of a personal team, and for a
 * membership that comes from a group or a Kubernetes resource.
 */
export async function changeRole({ teams, clock }: Ports, team: Id, user: Id, role: Role): Promise<Member> {
  await directMember(teams, team, user, 'role');
  const changed = await teams.grant(
    team,
    user,
    { source: 'direct', role },
    { now: clock(), keepOwner: true, mustExist: true },
  );
  if (changed === null) throw new NotFound();
  return unlessLastOwner(changed, 'role', 'is that of the last owner: make somebody else an owner first');
}

/** Ends a membership. Throws like `changeRole`. */
export async function removeMember({ teams }: Pick<Ports, 'teams'>, team: Id, user: Id): Promise<Member> {
  const member = await directMember(teams, team, user, 'user_id');
  const removed = unlessLastOwner(
    await teams.revoke(team, user, 'direct', { keepOwner: true }),
    'user_id',
    'is the last owner, who cannot leave: make somebody else an owner first',
  );
  if (!removed) throw new NotFound();
  return member;
}

async function directMember(teams: TeamStore, team: Id, user: Id, field: string): Promise<Member> {
  const member = await teams.findMember(team, user);
  if (member === null) throw new NotFound();
  if (user === team) throw invalid(field, 'is that of the user whose personal team this is');
  const other = member.grants.find(({ source }) => source !== 'direct')?.source;
  if (other === 'group') throw invalid(field, 'comes from a group of the identity provider; change it there');
  if (other !== undefined)
    throw invalid(field, `comes from the Kubernetes resource ${other}; change it there`);
  return member;
}

function unlessLastOwner<T>(outcome: T | LastOwner, field: string, message: string): Exclude<T, LastOwner> {
  if (outcome === 'last-owner') throw invalid(field, message);
  return outcome as Exclude<T, LastOwner>;
}
