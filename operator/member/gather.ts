import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { managerOf } from '../manager.ts';
import type { MemberView } from './decide.ts';
import type { MemberResource } from './resource.ts';

/** Reads the rule of a resource, its user as a member of the team, and the number of memberships that differ from the rule. */
export async function gatherMember(
  { memberRules, teams }: Pick<Services, 'memberRules' | 'teams'>,
  resource: MemberResource,
  owner: Id | null,
): Promise<MemberView> {
  if (owner === null) return { resource, owner, rule: null, member: null, unsettled: 0 };
  const source = managerOf(resource.metadata);
  const unsettled = await memberRules.unsettled({ source });
  const rule = await memberRules.find(source);
  const [user] = rule?.email == null ? [] : rule.members;
  const member = user === undefined ? null : await teams.findMember(owner, user);
  return { resource, owner, rule, member, unsettled: unsettled.length };
}
