import type { User, UserStore } from '#core/access/access.ts';
import { Invalid, NotFound, withinQuota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { type AuditStore, kubernetes } from './audit-log.ts';
import type { MemberRule, MemberRuleStore, RuleSource, Settled, Unsettled } from './member-rule.ts';
import { noteAction } from './note-action.ts';

type Ports = {
  memberRules: MemberRuleStore;
  auditLog: Pick<AuditStore, 'record'>;
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
  clock: () => Date;
};

const ruleQuota = {
  limit: 'teams.memberRules',
  most: limits.teams.memberRules,
  things: 'Member resources',
} as const;
const memberQuota = { limit: 'teams.members', most: limits.teams.members, things: 'members' } as const;

/** Longest name of a group, in characters. A Member resource takes none that is longer. */
const groupLength = 253;

/**
 * Makes the memberships of a user from Member resources equal to their e-mail and groups. `groups` are those of this sign-in, or
 * null where it told none: then those of an earlier one count. A membership that a limit refuses is logged and left out.
 */
export async function applyMemberRules(
  ports: Ports & { users: Pick<UserStore, 'setGroups'>; metrics: { limitReached(limit: LimitName): void } },
  user: Pick<User, 'id'>,
  groups: string[] | null,
): Promise<void> {
  const { users, memberRules, metrics, log } = ports;
  if (groups !== null) {
    const known = [...new Set(groups)].filter(({ length }) => length > 0 && length <= groupLength);
    if (known.length > limits.teams.groups) metrics.limitReached('teams.groups');
    await users.setGroups(user.id, known.slice(0, limits.teams.groups));
  }
  for (const membership of await memberRules.unsettled({ user: user.id })) {
    try {
      await settleMembership(ports, membership);
    } catch (err) {
      if (!(err instanceof Invalid)) throw err;
      err.limits.forEach(metrics.limitReached);
      log.warn({ event: 'member.refused', err, ...membership }, 'a Member resource could not be applied');
    }
  }
}

/** Writes the rule of a Member resource. Its memberships follow by `settleRule`. Throws NotFound without the team, and Invalid. */
export async function putMemberRule(
  { memberRules }: Pick<Ports, 'memberRules'>,
  rule: Omit<MemberRule, 'id' | 'members'>,
): Promise<void> {
  const written = await withinQuota(memberRules.put(rule, ruleQuota.most), 'role', ruleQuota);
  if (!written) throw new NotFound();
}

/** Makes all memberships by the rule of a source equal to it. Throws Invalid where the team has too many members. */
export async function settleRule(ports: Ports, source: RuleSource): Promise<void> {
  for (const membership of await ports.memberRules.unsettled({ source })) {
    await settleMembership(ports, membership);
  }
}

/** Ends the rule of a source, its memberships, and the keys that these members made. Safe to repeat. */
export async function endMemberRule(ports: Ports, team: Id, source: RuleSource): Promise<void> {
  const ended = { source, team, email: null, group: null, role: null };
  // Ends the rule first, so that a sign-in meanwhile makes no membership by it.
  if ((await ports.memberRules.find(source)) !== null) await ports.memberRules.put(ended);
  await settleRule(ports, source);
  await ports.memberRules.remove(source);
}

async function settleMembership(ports: Ports, membership: Unsettled): Promise<void> {
  const { memberRules, clock } = ports;
  const written = memberRules.settle(membership, { now: clock(), most: memberQuota.most });
  const settled = await withinQuota(written, 'role', memberQuota);
  if (settled !== null) await note(ports, membership.team, settled);
}

/** Notes a change of a role in the audit log. A source more or less that changes no role is not noted. */
async function note(ports: Ports, team: Id, { email, before, after }: Settled): Promise<void> {
  if (before === after) return;
  if (after === null) return noteAction(ports, team, kubernetes, 'member.removed', email);
  const action = before === null ? 'member.joined' : 'member.changed';
  return noteAction(ports, team, kubernetes, action, `${email}: ${after}`);
}
