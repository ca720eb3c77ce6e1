import type { Context } from '#adapters/stores/mongo/context.ts';
import type { MemberRuleRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { RuleSource } from '#core/access/people.ts';
import { roleFrom } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';
import type { MemberRule, MemberRuleStore, RuleGrant } from '#core/teams/member-rules.ts';
import { toRule } from './rows.ts';

export function createMemberRules({ collections }: Context): MemberRuleStore {
  const { memberRules, members, users } = collections;

  /** Adds the members to rules. */
  const whole = async (rows: MemberRuleRow[]): Promise<MemberRule[]> => {
    const sources = rows.map(({ source }) => source);
    const found = await members.find({ 'grants.source': { $in: sources } }).toArray();
    const holders = new Map<string, Id[]>(sources.map((source) => [source, []]));
    for (const { user, grants } of found.sort((a, b) => a.user - b.user)) {
      for (const { source } of grants) holders.get(source)?.push(user);
    }
    return rows.map((row) => ({ ...toRule(row), members: holders.get(row.source) ?? [] }));
  };
  const grantOf = ({ team, source, role }: MemberRuleRow, user: Id): RuleGrant[] =>
    role === null ? [] : [{ team, user, source, role }];

  return {
    list: async (source) =>
      whole(
        await memberRules
          .find(source === undefined ? {} : { source })
          .sort({ _id: 1 })
          .toArray(),
      ),
    async grants(of) {
      if ('user' in of) {
        const { user } = of;
        const [person, held] = await Promise.all([
          users.findOne({ _id: user }),
          members.find({ user }).toArray(),
        ]);
        if (person === null) return { given: [], held: [] };
        const { email, groups = [] } = person;
        const rules = await memberRules.find({ $or: [{ email }, { group: { $in: groups } }] }).toArray();
        return {
          given: rules.flatMap((rule) => grantOf(rule, user)),
          held: held.flatMap(({ team, grants }) =>
            grants.flatMap(({ source, role }) => (isRule(source) ? [{ team, user, source, role }] : [])),
          ),
        };
      }
      const { source } = of;
      const [rule, held] = await Promise.all([
        memberRules.findOne({ source }),
        members.find({ 'grants.source': source }).toArray(),
      ]);
      const subject = rule?.group === null ? { email: rule.email ?? '' } : { groups: rule?.group ?? '' };
      const fitting =
        rule === null ? [] : await users.find(subject).project({ _id: 1 }).sort({ _id: 1 }).toArray();
      return {
        given: rule === null ? [] : fitting.flatMap(({ _id }) => grantOf(rule, _id)),
        held: held.flatMap(({ team, user, grants }) => {
          const role = roleFrom(grants, source);
          return role === null ? [] : [{ team, user, source, role }];
        }),
      };
    },
  };
}

/** Checks whether a membership comes from a rule. */
function isRule(source: string): source is RuleSource {
  return source.includes('/');
}
