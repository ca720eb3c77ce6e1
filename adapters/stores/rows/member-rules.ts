import type { MemberRule, Rule, RuleGrant, RuleGrants, RuleSource } from '#core/access/people.ts';
import { roleFrom } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';
import type { ReadScope } from '#core/reads.ts';
import { all, hand, one, type Steps } from './steps.ts';
import { memberRules, users } from './tables.ts';

export function* memberRulesOf(source: RuleSource | undefined): Steps<MemberRule[]> {
  const wanted = source === undefined ? { id: { above: 0 } } : { source };
  const rules = yield* all(memberRules, wanted, { order: ['id'] });
  const found: MemberRule[] = [];
  for (const rule of rules) {
    const members = (yield* hand('members', { source: rule.source })).map(({ user }) => user);
    found.push({ ...rule, members: members.sort((a, b) => a - b) });
  }
  return found;
}

export function ruleGrants({ rule, user = 0 }: ReadScope): Steps<RuleGrants> {
  return rule === undefined ? grantsOfUser(user) : grantsOfRule(rule);
}

const grantOf = ({ team, source, role }: Rule, user: Id): RuleGrant[] =>
  role === null ? [] : [{ team, user, source, role }];

function* grantsOfUser(id: Id): Steps<RuleGrants> {
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

function* grantsOfRule(source: RuleSource): Steps<RuleGrants> {
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
function isRule(source: string): source is RuleSource {
  return source.includes('/');
}
