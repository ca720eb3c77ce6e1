import type { Id } from '#core/ids.ts';
import type { Services } from '#core/services.ts';
import { managerOf } from '../manager.ts';
import type { MemberView } from './decide.ts';
import type { MemberResource } from './resource.ts';

/** Reads the rule of a resource and counts the memberships that differ from it. */
export async function gatherMember(
  { memberRules }: Pick<Services, 'memberRules'>,
  resource: MemberResource,
  owner: Id | null,
): Promise<MemberView> {
  if (owner === null) return { resource, owner, rule: null, unsettled: 0 };
  const source = managerOf(resource.metadata);
  const unsettled = await memberRules.unsettled({ source });
  return { resource, owner, rule: await memberRules.find(source), unsettled: unsettled.length };
}
