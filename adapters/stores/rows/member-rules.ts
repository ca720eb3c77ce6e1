import type { Rule } from '#core/access/people.ts';
import { roleFrom } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';
import type { MemberRule, MemberRuleStore, RuleGrant } from '#core/teams/member-rules.ts';
import { all, hand, type InSteps, one, type Steps } from './steps.ts';
import { memberRules, users } from './tables.ts';

export const memberRuleReads: InSteps<MemberRuleStore> = {
  *list(source) {
    const wanted = source === undefined ? { id: { above: 0 } } : { source };
    const rules = yield* all(memberRules, wanted, { order: ['id'] });
    const found: MemberRule[] = [];
    for (const rule of rules) {
      const members = (yield* hand('members', { source: rule.source })).map(({ user }) => user);
      found.push({ ...rule, members: members.sort((a, b) => a - b) });
    }
    return found;
  },
  grants: (of) => ('user' in of ? grantsOfUser(of.user) : grantsOfRule(of.source)),
};

const grantOf = ({ team, source, role }: Rule, user: Id): RuleGrant[] =>
  role === null ? [] : [{ team, user, source, role }];

function* grantsOfUser(id: Id): Steps<{ given: RuleGrant[]; held: RuleGrant[] }> {
  const person = yield* one(users, { id });
  if (person === null) return { given: [], held: [] };
  const groups = yield* hand('groupsOf', id);
  const byEmail = yield* all(memberRules, { email: person.email });
  const byGroup = groups.length === 0 ? [] : yield* all(memberRules, { group: { in: groups } });
  const held = yield* hand('members', { user: id });
  return {
    given: [...byEmail, ...byGroup].flatMap((rule) => grantOf(rule, id)),
    held: held.flatMap(({ team, grants }) =>
      grants.flatMap(({ source, role }) => (isRule(source) ? [{ team, user: id, source, role }] : [])),
    ),
  };
}

function* grantsOfRule(source: Rule['source']): Steps<{ given: RuleGrant[]; held: RuleGrant[] }> {
  const rule = yield* one(memberRules, { source });
  const held = yield* hand('members', { source });
  return {
    given: rule === null ? [] : (yield* subjects(rule)).flatMap((user) => grantOf(rule, user)),
    held: held.flatMap(({ team, user, grants }) => {
      const role = roleFrom(grants, source);
      return role === null ? [] : [{ team, user, source, role }];
    }),
  };
}

/** Reads the users whom a rule fits. */
function* subjects({ email, group }: Rule): Steps<Id[]> {
  if (group !== null) return yield* hand('usersIn', group);
  return (yield* all(users, { email: email ?? '' })).map(({ id }) => id);
}

/** Checks whether a membership comes from a rule. */
function isRule(source: string): source is Rule['source'] {
  return source.includes('/');
}
