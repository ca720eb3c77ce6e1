import type { Context } from '#adapters/stores/mongo/context.ts';
import { checkQuota } from '#adapters/stores/mongo/quota.ts';
import {
  type MemberRow,
  type MemberRuleRow,
  notDeleted,
  type UserRow,
} from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import {
  isFromRule,
  type MemberRule,
  type MemberRuleStore,
  type RuleSource,
  roleBy,
  type Unsettled,
} from '#core/teams/member-rule.ts';
import { endGrant, writeGrant } from './members.ts';

const personOf = ({ email, groups = [] }: UserRow) => ({ email, groups });

const roleFrom = (row: MemberRow | null | undefined, source: RuleSource) =>
  row?.grants.find((grant) => grant.source === source)?.role ?? null;

export function createMemberRules(context: Context): MemberRuleStore {
  const { collections, ids, withTeamLock } = context;
  const { memberRules, members, teams, users } = collections;

  /** Adds the members to rules. */
  const whole = async (rows: MemberRuleRow[]): Promise<MemberRule[]> => {
    const sources = rows.map(({ source }) => source);
    const found = await members.find({ 'grants.source': { $in: sources } }).toArray();
    const holders = new Map<string, Id[]>(sources.map((source) => [source, []]));
    for (const { user, grants } of found.sort((a, b) => a.user - b.user)) {
      for (const { source } of grants) holders.get(source)?.push(user);
    }
    return rows.map(({ _id: id, ...rule }) => ({ id, ...rule, members: holders.get(rule.source) ?? [] }));
  };

  const ofSource = async (source: RuleSource): Promise<Unsettled[]> => {
    const rule = await memberRules.findOne({ source });
    const held = await members.find({ 'grants.source': source }).toArray();
    const subject = rule?.group === null ? { email: rule.email ?? '' } : { groups: rule?.group ?? '' };
    const wanted =
      rule === null || rule.role === null
        ? []
        : await users
            .find(subject, { projection: { _id: 1 } })
            .sort({ _id: 1 })
            .toArray();
    const rows = new Map(held.map((row) => [row.user, row]));
    const isWanted = new Set(wanted.map(({ _id }) => _id));
    const lacking = wanted.filter(({ _id }) => roleFrom(rows.get(_id), source) !== rule?.role);
    return [
      ...lacking.map(({ _id: user }) => ({ team: rule?.team ?? 0, user, source })),
      ...held.filter(({ user }) => !isWanted.has(user)).map(({ team, user }) => ({ team, user, source })),
    ];
  };

  const ofUser = async (user: Id): Promise<Unsettled[]> => {
    const row = await users.findOne({ _id: user });
    if (row === null) return [];
    const person = personOf(row);
    const [forEmail, forGroups, held] = await Promise.all([
      memberRules.find({ email: person.email }).toArray(),
      person.groups.length === 0 ? [] : memberRules.find({ group: { $in: person.groups } }).toArray(),
      members.find({ user }).toArray(),
    ]);
    const rules = new Map([...forEmail, ...forGroups].map((rule) => [rule.source, rule]));
    const has = new Map(
      held.flatMap(({ team, grants }) =>
        grants.filter(isFromRule).map(({ source, role }) => [source, { team, role }] as const),
      ),
    );
    return [...new Set([...rules.keys(), ...has.keys()])].flatMap((source) => {
      const rule = rules.get(source) ?? null;
      const team = rule?.team ?? has.get(source)?.team ?? 0;
      return roleBy(rule, person) === (has.get(source)?.role ?? null) ? [] : [{ team, user, source }];
    });
  };

  return {
    async put(rule, most) {
      const { source, team } = rule;
      const [id = 0] = await ids.take('memberRules', 1);
      return withTeamLock([team], async ({ session }) => {
        if ((await teams.findOne({ _id: team, ...notDeleted }, { session })) === null) return false;
        const before = await memberRules.findOne({ source }, { session });
        if (before === null) await checkQuota(memberRules, { team }, most, session);
        const row = { _id: before?._id ?? id, ...rule };
        await memberRules.replaceOne({ _id: row._id }, row, { session, upsert: true });
        return true;
      });
    },
    async find(source) {
      const row = await memberRules.findOne({ source });
      return row && ((await whole([row]))[0] ?? null);
    },
    list: async () => whole(await memberRules.find().sort({ _id: 1 }).toArray()),
    unsettled: (of) => ('user' in of ? ofUser(of.user) : ofSource(of.source)),
    settle({ team, user, source }, options) {
      return withTeamLock([team, user], async (lock) => {
        const { session } = lock;
        const person = await users.findOne({ _id: user }, { session });
        if (person === null) return null;
        const rule = await memberRules.findOne({ source, team }, { session });
        const before = await members.findOne({ team, user }, { session });
        const wanted = roleBy(rule, personOf(person));
        if (wanted === roleFrom(before, source)) return null;
        if (wanted === null) await endGrant(context, lock, [team, user, source]);
        else if ((await writeGrant(context, lock, [team, user, { source, role: wanted }, options])) === null)
          return null;
        const after = await members.findOne({ team, user }, { session });
        return { email: person.email, before: before?.role ?? null, after: after?.role ?? null };
      });
    },
    async remove(source) {
      return (await memberRules.deleteOne({ source, role: null })).deletedCount === 1;
    },
  };
}
