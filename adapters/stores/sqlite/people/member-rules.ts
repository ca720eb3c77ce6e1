import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Rule, RuleSource } from '#core/access/people.ts';
import type { MemberRule, MemberRuleStore, RuleGrant } from '#core/teams/member-rules.ts';
import { roleOfRank } from './rows.ts';

export type RuleRow = Omit<Rule, 'role'> & { rank: number | null };
export const ruleColumns =
  'r.id, r.source, r.team_id AS team, r.email, r.group_name AS "group", r.role AS rank';

export function toRule({ rank, ...rule }: RuleRow): Rule {
  return { ...rule, role: roleOfRank(rank) };
}

type RuleGrantRow = Omit<RuleGrant, 'role'> & { rank: number };

export function memberRuleReads(db: DatabaseSync): Sync<MemberRuleStore> {
  const all = query<RuleRow>(db, `SELECT ${ruleColumns} FROM member_rule r WHERE r.id > 0 ORDER BY r.id`);
  const bySource = query<RuleRow>(db, `SELECT ${ruleColumns} FROM member_rule r WHERE r.source = :source`);
  const grants = (condition: string) =>
    query<RuleGrantRow>(
      db,
      `SELECT r.team_id AS team, u.id AS user, r.source, r.role AS rank FROM member_rule r JOIN user u ON u.email = r.email
       WHERE r.role IS NOT NULL AND ${condition}
       UNION ALL
       SELECT r.team_id, u.user_id, r.source, r.role FROM member_rule r JOIN user_group u ON u.name = r.group_name
       WHERE r.role IS NOT NULL AND ${condition.replace('u.id', 'u.user_id')} ORDER BY 2`,
    );
  const held = (condition: string) =>
    query<RuleGrantRow>(
      db,
      `SELECT m.team_id AS team, m.user_id AS user, m.source, m.role AS rank FROM membership m ${condition}
       ORDER BY m.team_id, m.user_id`,
    );
  const given = { bySource: grants('r.source = :source'), byUser: grants('u.id = :user') };
  const had = {
    bySource: held('WHERE m.source = :source'),
    byUser: held("INDEXED BY membership_user WHERE m.user_id = :user AND m.source LIKE '%/%'"),
  };
  const toGrants = (rows: RuleGrantRow[]) =>
    rows.map(({ rank, ...row }): RuleGrant => ({ ...row, role: roleOfRank(rank) ?? 'viewer' }));
  const whole = (row: RuleRow): MemberRule => ({
    ...toRule(row),
    members: had.bySource.all({ source: row.source }).map(({ user }) => user),
  });
  return {
    list: (source?: RuleSource) => (source === undefined ? all.all() : bySource.all({ source })).map(whole),
    grants(of) {
      const by = 'user' in of ? 'byUser' : 'bySource';
      return { given: toGrants(given[by].all(of)), held: toGrants(had[by].all(of)) };
    },
  };
}
