import type { Grant } from '#core/access/grant.ts';
import type { Role } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';

/** Source of the memberships that a Member resource gives: `<namespace>/<name>`. */
export type RuleSource = `${string}/${string}`;

/**
 * Rule of a Member resource: the user with `email` (lower case), or each user in `group` of the identity provider, has `role`
 * in `team`. One of `email` and `group` is null. `role` is null for a rule that has ended, until its memberships are removed.
 * `members` are the users who are members by it.
 */
export type MemberRule = {
  id: Id;
  source: RuleSource;
  team: Id;
  email: string | null;
  group: string | null;
  role: Role | null;
  members: Id[];
};

/** User whose membership by a rule differs from the rule. */
export type Unsettled = { team: Id; user: Id; source: RuleSource };

/** Change of a membership: the user's role in the team before and after it, null without a membership. */
export type Settled = { email: string; before: Role | null; after: Role | null };

/** Rules are the truth. The memberships that follow from them are made and ended by `settle`, which is safe to repeat. */
export type MemberRuleStore = {
  /**
   * Writes the rule of a source in place of an earlier one. Returns false where the team does not exist. Throws OverQuota where
   * the team has `most` rules.
   */
  put(rule: Omit<MemberRule, 'id' | 'members'>, most?: number): Promise<boolean>;
  find(source: RuleSource): Promise<MemberRule | null>;
  /** Lists all rules, by id. */
  list(): Promise<MemberRule[]>;
  /** Lists memberships that differ from the rule of a source, or from the rules for a user. */
  unsettled(of: { source: RuleSource } | { user: Id }): Promise<Unsettled[]>;
  /**
   * Makes a membership equal to its rule, both as they are at that moment. Returns null where nothing was to be changed. Throws
   * OverQuota where the team has `most` members.
   */
  settle(membership: Unsettled, options: { now: Date; most?: number }): Promise<Settled | null>;
  /** Removes a rule that has ended. Returns false where there is none. */
  remove(source: RuleSource): Promise<boolean>;
};

/** Returns the role that a rule gives to a user. */
export function roleBy(
  rule: Pick<MemberRule, 'email' | 'group' | 'role'> | null,
  user: { email: string; groups: readonly string[] },
): Role | null {
  if (rule === null) return null;
  const isFor = rule.group === null ? rule.email === user.email : user.groups.includes(rule.group);
  return isFor ? rule.role : null;
}

/** Tells whether a grant comes from a rule. */
export function isFromRule(grant: Grant): grant is Grant & { source: RuleSource } {
  return grant.source.includes('/');
}
