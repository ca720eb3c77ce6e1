import { endMemberRule } from '#core/teams/apply-member-rules.ts';
import { removeMembers } from '#core/teams/remove-members.ts';
import type { Services } from '#setup/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { actOnMember } from './act.ts';
import { decideMember, type MemberEffect, type MemberView, memberRefused } from './decide.ts';
import { gatherMember } from './gather.ts';
import type { MemberResource } from './resource.ts';

type Ports = Pick<Services, 'memberRules' | 'teams' | 'invitations' | 'auditLog' | 'log' | 'clock'>;

/** Delay after which a sign-in shows in the status at the latest. */
const pollMs = 3_000;

export function createMemberKind(ports: Ports): Kind {
  const { memberRules } = ports;
  return defineKind<MemberResource, MemberView, MemberEffect>({
    name: 'Member',
    plural: 'members',
    managedKind: 'member',
    nameOf: () => null,
    domainOf: () => null,
    reconciler: {
      gather: (resource, owner) => gatherMember(ports, resource, owner),
      decide: decideMember,
      act: (effect, view) => actOnMember(ports, effect, view),
      refused: memberRefused,
    },
    objects: {
      async list(owners) {
        const rules = (await memberRules.list()).filter(({ team }) => owners.has(team));
        return rules.map(({ team, id, source }) => ({ owner: team, id, managedBy: source, name: null }));
      },
      async remove({ owner, managedBy }) {
        const rule = (await memberRules.list()).find(({ source }) => source === managedBy);
        if (rule !== undefined) await endMemberRule(ports, owner, rule.source);
      },
      async removeAll(owner) {
        for (const { team, source } of await memberRules.list()) {
          if (team === owner) await endMemberRule(ports, team, source);
        }
        await removeMembers(ports, owner);
      },
      poll: {
        everyMs: pollMs,
        async fingerprints() {
          return (await memberRules.list()).map(({ source, ...state }) => ({
            managedBy: source,
            state: JSON.stringify(state),
          }));
        },
      },
    },
  });
}
