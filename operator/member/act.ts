import type { Id } from '#core/ids.ts';
import { endMemberRule, putMemberRule, settleRule } from '#core/teams/apply-member-rules.ts';
import { managerOf } from '../manager.ts';
import type { NotePorts } from '../notes.ts';
import type { MemberEffect, MemberView } from './decide.ts';
import { ruleOf } from './resource.ts';

type Ports = Parameters<typeof settleRule>[0] & NotePorts;

/** Writes, applies or ends the rule of a resource. */
export async function actOnMember(
  ports: Ports,
  effect: MemberEffect,
  { owner, resource }: MemberView & { owner: Id },
): Promise<void> {
  const source = managerOf(resource.metadata);
  if (effect.do === 'put') await putMemberRule(ports, { source, team: owner, ...ruleOf(resource) });
  else if (effect.do === 'settle') await settleRule(ports, source);
  else await endMemberRule(ports, owner, source);
}
