import type { User } from '#core/access/access.ts';
import type { Rule, RuleGrant, RuleSource } from '#core/access/people.ts';
import { setGroups } from '#core/access/user-changes.ts';
import type { RowReader, RowStore } from '#core/change.ts';
import { Invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { kubernetes } from './audit-log.ts';
import { settle } from './member-changes.ts';
import { type AuditPorts, recordAction } from './record-action.ts';
import { putRule, removeRule } from './team-changes.ts';

type Ports = AuditPorts & { rows: RowStore };

/** Maximum length of a group name in characters. A Member resource does not accept a longer one. */
const groupLength = 253;

/** Lists the memberships that differ from what a source's rule, or a user's rules, should create. */
export async function unsettled(
  { rows }: { rows: RowReader },
  of: { rule: RuleSource } | { user: Id },
): Promise<{ team: Id; user: Id; rule: RuleSource }[]> {
  const { given, held } = await rows.read('ruleGrants', of);
  const keyOf = ({ user, source }: RuleGrant) => `${user} ${source}`;
  const wanted = new Set(given.map(keyOf));
  const had = new Map(held.map((one) => [keyOf(one), one.role]));
  const lacking = given.filter((one) => had.get(keyOf(one)) !== one.role);
  return [...lacking, ...held.filter((one) => !wanted.has(keyOf(one)))].map(({ team, user, source }) => ({
    team,
    user,
    rule: source,
  }));
}

/**
 * Updates a user's memberships from Member resources to match the user's email address and groups. `groups` come from this sign-in, or
 * are null if the provider sent none: then the last known groups apply. A membership that would exceed a limit is logged and skipped.
 */
export async function applyMemberRules(
  ports: Omit<Ports, 'log'> & {
    log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
    metrics: { limitReached(limit: LimitName): void };
  },
  user: Pick<User, 'id'>,
  groups: string[] | null,
): Promise<void> {
  const { rows, metrics, log } = ports;
  if (groups !== null) {
    const known = [...new Set(groups)].filter(({ length }) => length > 0 && length <= groupLength);
    if (known.length > limits.teams.groups) metrics.limitReached('teams.groups');
    await rows.change(setGroups, { user: user.id, groups: known.slice(0, limits.teams.groups) });
  }
  for (const membership of await unsettled(ports, { user: user.id })) {
    try {
      await settleMembership(ports, membership);
    } catch (err) {
      if (!(err instanceof Invalid)) throw err;
      err.limits.forEach(metrics.limitReached);
      const { team, user: member, rule: source } = membership;
      log.warn(
        { event: 'member.refused', err, team, user: member, source },
        'could not apply a Member resource',
      );
    }
  }
}

/**
 * Writes a Member resource's rule. Does not change memberships, which `settleRule` does. Throws NotFound if the team does not exist, and
 * Invalid.
 */
export function putMemberRule(
  { rows }: Pick<Ports, 'rows'>,
  { source, ...rule }: Omit<Rule, 'id'>,
): Promise<void> {
  return rows.change(putRule, { ...rule, rule: source, most: limits.teams.memberRules });
}

/** Updates all memberships from a source's rule to match the rule. Throws Invalid if the team has too many members. */
export async function settleRule(ports: Ports, source: RuleSource): Promise<void> {
  for (const membership of await unsettled(ports, { rule: source }))
    await settleMembership(ports, membership);
}

/** Ends a source's rule, its memberships, and the keys that these members created. Safe to repeat. */
export async function endMemberRule(ports: Ports, team: Id, rule: RuleSource): Promise<void> {
  const { rows } = ports;
  // Ends the rule first, so a sign-in in the meantime cannot create a membership from it.
  const [found] = await rows.read('memberRules', { rule });
  if (found !== undefined) await rows.change(putRule, { rule, team, email: null, group: null, role: null });
  await settleRule(ports, rule);
  await rows.change(removeRule, { team, rule });
}

/**
 * Settles a membership and records a change of its role. Does not record a source that was added or removed without changing the role.
 */
async function settleMembership(
  ports: Ports,
  membership: { team: Id; user: Id; rule: RuleSource },
): Promise<void> {
  const { rows, clock } = ports;
  const settled = await rows.change(settle, { ...membership, now: clock(), most: limits.teams.members });
  if (settled === null || settled.before === settled.after) return;
  const { email, before, after } = settled;
  const { team } = membership;
  if (after === null) return recordAction(ports, team, kubernetes, 'member.removed', email);
  const action = before === null ? 'member.joined' : 'member.changed';
  return recordAction(ports, team, kubernetes, action, `${email}: ${after}`);
}
