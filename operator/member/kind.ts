import { removeMembers } from '#core/teams/manage-teams.ts';
import { endMemberRule, putMemberRule, settleRule, unsettled } from '#core/teams/member-rules.ts';
import type { Services } from '#setup/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { managerOf } from '../manager.ts';
import type { View } from '../reconcile.ts';
import {
  decideMember,
  type MemberEffect,
  type MemberResource,
  type MemberView,
  subjectOf,
} from './decide.ts';

export function createMemberKind(services: Services): Kind {
  const { rows } = services;
  return defineKind<MemberResource, MemberView, MemberEffect>({
    name: 'Member',
    plural: 'members',
    reconciler: {
      identity: ['email', 'group'],
      gather: (known) => gather(services, known),
      decide: decideMember,
      async act(effect, { owner: team, resource }) {
        const source = managerOf(resource.metadata);
        if (effect.do === 'put') {
          await putMemberRule(services, { source, team, role: effect.role, ...subjectOf(resource) });
        } else if (effect.do === 'settle') await settleRule(services, source);
        else await endMemberRule(services, team, source);
      },
    },
    objects: [
      {
        kind: 'member',
        list: async () =>
          (await rows.read('memberRules', {})).map(({ source, ...rule }) => {
            const { team: owner, id } = rule;
            return { owner, id, managedBy: source, name: null, stateOf: () => [rule] };
          }),
        async remove({ owner, managedBy }) {
          const rule = (await rows.read('memberRules', {})).find(({ source }) => source === managedBy);
          if (rule !== undefined) await endMemberRule(services, owner, rule.source);
        },
        async removeAll(owner) {
          for (const { team, source } of await rows.read('memberRules', {})) {
            if (team === owner) await endMemberRule(services, team, source);
          }
          await removeMembers(services, owner);
        },
        isPolled: true,
      },
    ],
  });
}

/** Reads a resource's rule, its user as a team member, and the number of memberships that differ from the rule. */
async function gather({ rows }: Services, known: View<MemberResource>): Promise<MemberView> {
  const { resource, owner } = known;
  if (owner === null) return { ...known, rule: null, member: null, unsettled: 0 };
  const source = managerOf(resource.metadata);
  const differing = await unsettled({ rows }, { rule: source });
  const [rule = null] = await rows.read('memberRules', { rule: source });
  const [user] = rule?.email == null ? [] : rule.members;
  const member = user === undefined ? null : await rows.read('member', { team: owner, user });
  return { ...known, rule, member, unsettled: differing.length };
}
