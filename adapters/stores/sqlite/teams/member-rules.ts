import type { DatabaseSync } from 'node:sqlite';
import { quota } from '#adapters/stores/sqlite/quota.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Role } from '#core/access/role.ts';
import {
  isFromRule,
  type MemberRule,
  type MemberRuleStore,
  type RuleSource,
  roleBy,
} from '#core/teams/member-rule.ts';
import { rankOf, roleOfRank } from './memberships.ts';
import { teamReads, teamWrites } from './teams.ts';

type ReadNames = 'find' | 'list' | 'unsettled';
export type MemberRuleReads = Sync<Pick<MemberRuleStore, ReadNames>>;
export type MemberRuleWrites = Sync<Omit<MemberRuleStore, ReadNames>>;

type Row = {
  id: number;
  source: RuleSource;
  team_id: number;
  email: string | null;
  group_name: string | null;
  role: number | null;
};
type HeldRow = { team: number; user: number; role: number };
/** User with the state that rules decide by. */
type Person = { email: string; groups: string[] };

const columns = 'id, source, team_id, email, group_name, role';

function toRule({ team_id, group_name, role, ...row }: Row): Omit<MemberRule, 'members'> {
  return { ...row, team: team_id, group: group_name, role: roleOfRank(role) };
}

function ruleRows(db: DatabaseSync) {
  const bySource = query<Row>(db, `SELECT ${columns} FROM member_rule WHERE source = :source`);
  const all = query<Row>(db, `SELECT ${columns} FROM member_rule WHERE id > 0 ORDER BY id`);
  const byEmail = query<Row>(db, `SELECT ${columns} FROM member_rule WHERE email = :email`);
  const byGroups = query<Row>(
    db,
    `SELECT ${columns} FROM member_rule WHERE group_name IN (SELECT name FROM user_group WHERE user_id = :user)`,
  );
  const held = query<HeldRow>(
    db,
    'SELECT team_id AS team, user_id AS user, role FROM membership WHERE source = :source ORDER BY team_id, user_id',
  );
  const user = query<{ email: string }>(db, 'SELECT email FROM user WHERE id = :user');
  const groups = query<{ name: string }>(db, 'SELECT name FROM user_group WHERE user_id = :user');
  return {
    find(source: RuleSource): Omit<MemberRule, 'members'> | null {
      const row = bySource.get({ source });
      return row === undefined ? null : toRule(row);
    },
    list: () => all.all().map(toRule),
    forPerson: (id: number, { email }: Person) =>
      [...byEmail.all({ email }), ...byGroups.all({ user: id })].map(toRule),
    held: (source: RuleSource) => held.all({ source }),
    person(id: number): Person | null {
      const row = user.get({ user: id });
      return row === undefined ? null : { ...row, groups: groups.all({ user: id }).map(({ name }) => name) };
    },
  };
}

export function memberRuleReads(db: DatabaseSync): MemberRuleReads {
  const rows = ruleRows(db);
  const withEmail = query<{ id: number }>(db, 'SELECT id FROM user WHERE email = :email');
  const inGroup = query<{ id: number }>(
    db,
    'SELECT user_id AS id FROM user_group WHERE name = :group ORDER BY user_id',
  );
  const grants = query<{ team: number; source: RuleSource; role: number }>(
    db,
    `SELECT team_id AS team, source, role FROM membership INDEXED BY membership_user WHERE user_id = :user`,
  );
  const whole = (rule: Omit<MemberRule, 'members'>): MemberRule => ({
    ...rule,
    members: rows.held(rule.source).map(({ user }) => user),
  });
  const ofSource: (source: RuleSource) => ReturnType<MemberRuleReads['unsettled']> = (source) => {
    const rule = rows.find(source);
    const held = rows.held(source);
    const { email = null, group = null, role = null } = rule ?? {};
    const wanted = role === null ? [] : group === null ? withEmail.all({ email }) : inGroup.all({ group });
    const has = new Map(held.map(({ user, role: rank }) => [user, roleOfRank(rank)]));
    const isWanted = new Set(wanted.map(({ id }) => id));
    const lacking = wanted.filter(({ id }) => has.get(id) !== role);
    return [
      ...lacking.map(({ id }) => ({ team: rule?.team ?? 0, user: id, source })),
      ...held.filter(({ user }) => !isWanted.has(user)).map(({ team, user }) => ({ team, user, source })),
    ];
  };
  const ofUser: (user: number) => ReturnType<MemberRuleReads['unsettled']> = (user) => {
    const person = rows.person(user);
    if (person === null) return [];
    const has = new Map<RuleSource, { team: number; role: Role | null }>();
    for (const { team, source, role: rank } of grants.all({ user })) {
      if (isFromRule({ source, role: 'viewer' })) has.set(source, { team, role: roleOfRank(rank) });
    }
    const rules = new Map(rows.forPerson(user, person).map((rule) => [rule.source, rule]));
    return [...new Set([...rules.keys(), ...has.keys()])].flatMap((source) => {
      const rule = rules.get(source) ?? null;
      const team = rule?.team ?? has.get(source)?.team ?? 0;
      return roleBy(rule, person) === (has.get(source)?.role ?? null) ? [] : [{ team, user, source }];
    });
  };
  return {
    find(source) {
      const rule = rows.find(source);
      return rule && whole(rule);
    },
    list: () => rows.list().map(whole),
    unsettled: (of) => ('user' in of ? ofUser(of.user) : ofSource(of.source)),
  };
}

export function memberRuleWrites(db: DatabaseSync): MemberRuleWrites {
  const rows = ruleRows(db);
  const teams = { ...teamReads(db), ...teamWrites(db) };
  const checkQuota = quota(db, 'FROM member_rule WHERE team_id = :team');
  const put = query(
    db,
    `INSERT INTO member_rule (source, team_id, email, group_name, role) VALUES (:source, :team, :email, :group, :rank)
     ON CONFLICT (source) DO UPDATE SET team_id = :team, email = :email, group_name = :group, role = :rank`,
  );
  const remove = query(db, 'DELETE FROM member_rule WHERE source = :source AND role IS NULL');
  return {
    put({ source, team, email, group, role }, most) {
      if (teams.find(team) === null) return false;
      if (rows.find(source) === null) checkQuota({ team }, most);
      put.run({ source, team, email, group, rank: role === null ? null : rankOf(role) });
      return true;
    },
    settle({ team, user, source }, { now, most }) {
      const person = rows.person(user);
      if (person === null) return null;
      const rule = rows.find(source);
      const wanted = rule?.team === team ? roleBy(rule, person) : null;
      const before = teams.findMember(team, user);
      const held = before?.grants.find((grant) => grant.source === source)?.role ?? null;
      if (wanted === held) return null;
      if (wanted === null) teams.revoke(team, user, source);
      else if (
        teams.grant(team, user, { source, role: wanted }, most === undefined ? { now } : { now, most }) ===
        null
      )
        return null;
      const after = teams.findMember(team, user);
      return { email: person.email, before: before?.role ?? null, after: after?.role ?? null };
    },
    remove: (source) => remove.run({ source }).changes === 1,
  };
}
