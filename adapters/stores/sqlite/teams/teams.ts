import type { DatabaseSync } from 'node:sqlite';
import { quota } from '#adapters/stores/sqlite/quota.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { limited, onePage, query } from '#adapters/stores/sqlite/workers/query.ts';
import {
  type Grant,
  grantsAfter,
  type MembershipSource,
  stopsOwning,
  type TeamKind,
} from '#core/access/grant.ts';
import { highest } from '#core/access/role.ts';
import { offsetOf, type Page } from '#core/page.ts';
import type { Member, Team, TeamStore } from '#core/teams/team.ts';
import { membershipRows, roleOfRank } from './memberships.ts';

type WriteNames = 'insert' | 'rename' | 'softDelete' | 'clearDeleted' | 'grant' | 'revoke';
export type TeamReads = Sync<Omit<TeamStore, WriteNames>>;
export type TeamWrites = Sync<Pick<TeamStore, WriteNames>>;

export type TeamRow = { id: number; name: string; kind: TeamKind; created_at: number };
type GrantRow = { user_id: number; email: string; source: MembershipSource; role: number; at: number };

export const teamColumns = 't.id, t.name, t.kind, t.created_at';

export function toTeam({ id, name, kind, created_at }: TeamRow): Team {
  return { id, name, kind, createdAt: new Date(created_at) };
}

/** Makes the members of their grants, which follow each other for each user. */
function toMembers(rows: GrantRow[]): Member[] {
  return [...Map.groupBy(rows, ({ user_id }) => user_id).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const grants = own.flatMap(({ source, role: rank }): Grant[] => {
      const role = roleOfRank(rank);
      return role === null ? [] : [{ source, role }];
    });
    const role = highest('viewer', ...grants.map((grant) => grant.role));
    const joinedAt = new Date(Math.min(...own.map(({ at }) => at)));
    return [{ userId: first.user_id, email: first.email, role, grants, joinedAt }];
  });
}

export function teamReads(db: DatabaseSync): TeamReads {
  const byId = query<TeamRow>(
    db,
    `SELECT ${teamColumns} FROM team t WHERE t.id = :id AND t.deleted_at IS NULL`,
  );
  const byName = query<TeamRow>(
    db,
    `SELECT ${teamColumns} FROM team t WHERE t.name = :name AND t.kind = 'managed' AND t.deleted_at IS NULL`,
  );
  const shared = "FROM team t INDEXED BY team_shared WHERE t.kind <> 'personal' AND t.deleted_at IS NULL";
  const list = query<TeamRow>(db, `SELECT ${teamColumns} ${shared} ORDER BY t.id ${onePage}`);
  const count = query<{ total: number }>(db, `SELECT count(*) AS total ${shared}`);
  const ofUser = query<TeamRow & { rank: number }>(
    db,
    `SELECT ${teamColumns}, max(m.role) AS rank FROM membership m INDEXED BY membership_user JOIN team t ON t.id = m.team_id
     WHERE m.user_id = :user GROUP BY m.team_id ORDER BY m.team_id ${onePage}`,
  );
  const countOfUser = query<{ total: number }>(
    db,
    'SELECT count(DISTINCT team_id) AS total FROM membership WHERE user_id = :user',
  );
  const role = query<{ rank: number | null }>(
    db,
    `SELECT max(m.role) AS rank FROM membership m JOIN user u ON u.id = m.user_id
     WHERE m.team_id = :team AND m.user_id = :user AND u.disabled_at IS NULL`,
  );
  const grants = (users: string) =>
    query<GrantRow>(
      db,
      `SELECT m.user_id, u.email, m.source, m.role, m.at FROM membership m JOIN user u ON u.id = m.user_id
       WHERE m.team_id = :team AND m.user_id IN (${users}) ORDER BY m.user_id, m.source`,
    );
  const grantsOfPage = grants(
    `SELECT DISTINCT user_id FROM membership WHERE team_id = :team ORDER BY user_id ${onePage}`,
  );
  const grantsOfUser = grants(':user');
  const countMembers = query<{ total: number }>(
    db,
    'SELECT count(DISTINCT user_id) AS total FROM membership WHERE team_id = :team',
  );
  const fromSource = query<{ team: number; role: number }>(
    db,
    'SELECT team_id AS team, role FROM membership WHERE user_id = :user AND source = :source',
  );
  const bound = (page: Page) => ({ limit: page.limit, offset: offsetOf(page) });
  const orNull = (row: TeamRow | undefined) => (row === undefined ? null : toTeam(row));
  return {
    find: (id) => orNull(byId.get({ id })),
    findManaged: (name) => orNull(byName.get({ name })),
    list: (page) => ({ items: list.all(bound(page)).map(toTeam), total: count.get()?.total ?? 0 }),
    listOf(user, page) {
      const items = ofUser
        .all({ user, ...bound(page) })
        .map(({ rank, ...row }) => ({ ...toTeam(row), role: roleOfRank(rank) ?? 'viewer' }));
      return { items, total: countOfUser.get({ user })?.total ?? 0 };
    },
    roleOf: (team, user) => roleOfRank(role.get({ team, user })?.rank ?? null),
    members: (team, page) => ({
      items: toMembers(grantsOfPage.all({ team, ...bound(page) })),
      total: countMembers.get({ team })?.total ?? 0,
    }),
    findMember: (team, user) => toMembers(grantsOfUser.all({ team, user }))[0] ?? null,
    grantsOf: (user, source) =>
      fromSource
        .all({ user, source })
        .map(({ team, role: rank }) => ({ team, role: roleOfRank(rank) ?? 'viewer' })),
  };
}

export function teamWrites(db: DatabaseSync): TeamWrites {
  const { find, findMember } = teamReads(db);
  const rows = membershipRows(db);
  const checkTeams = quota(db, 'FROM (SELECT DISTINCT team_id FROM membership WHERE user_id = :user)');
  const checkMembers = quota(db, 'FROM (SELECT DISTINCT user_id FROM membership WHERE team_id = :team)');
  const insert = query(
    db,
    `INSERT INTO team (name, kind, created_at) VALUES (:name, :kind, :at)
     ON CONFLICT (name) WHERE kind = 'managed' AND deleted_at IS NULL DO NOTHING`,
  );
  const user = query<{ id: number }>(db, 'SELECT id FROM user WHERE id = :user');
  const rename = query(db, 'UPDATE team SET name = :name WHERE id = :id AND deleted_at IS NULL');
  const softDelete = query(db, 'UPDATE team SET deleted_at = :at WHERE id = :id AND deleted_at IS NULL');
  const removeInvitations = query(db, 'DELETE FROM invitation WHERE team_id = :id');
  const removeRules = query(db, 'DELETE FROM member_rule WHERE team_id = :id');
  const endSessions = query(
    db,
    'DELETE FROM session WHERE key_id IN (SELECT id FROM api_key WHERE owner = :id)',
  );
  const removeKeys = query(db, 'DELETE FROM api_key WHERE owner = :id');
  const deleted = query<{ id: number; domains: number }>(
    db,
    `SELECT t.id, EXISTS (SELECT 1 FROM domain WHERE owner = t.id AND deleted_at IS NULL)
         OR EXISTS (SELECT 1 FROM domain INDEXED BY domain_deleted WHERE deleted_at IS NOT NULL AND owner = t.id)
         OR EXISTS (SELECT 1 FROM domain_move WHERE t.id IN (from_team, to_team)) AS domains
     FROM team t INDEXED BY team_deleted WHERE t.deleted_at IS NOT NULL ${limited}`,
  );
  const removeEvents = query(
    db,
    `DELETE FROM event WHERE (owner, number) IN (SELECT owner, number FROM event WHERE owner = :id ${limited})`,
  );
  const removeAudit = query(
    db,
    `DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry WHERE team_id = :id ${limited})`,
  );
  const removeClaim = query(db, 'DELETE FROM claim WHERE owner = :id');
  const removeOrphans = query(db, 'DELETE FROM orphan WHERE owner = :id');
  const remove = query(db, 'DELETE FROM team WHERE id = :id');
  return {
    insert({ name, kind, founder, createdAt }, most) {
      if (founder !== null) {
        if (user.get({ user: founder }) === undefined) return null;
        checkTeams({ user: founder }, most);
      }
      const { changes, id } = insert.run({ name, kind, at: createdAt.getTime() });
      if (changes === 0) return null;
      if (founder !== null) rows.add(id, founder, { source: 'direct', role: 'owner' }, createdAt);
      return { id, name, kind, createdAt };
    },
    rename(id, name) {
      return rename.run({ id, name }).changes === 0 ? null : find(id);
    },
    softDelete(id, now) {
      if (softDelete.run({ id, at: now.getTime() }).changes === 0) return false;
      endSessions.run({ id });
      removeKeys.run({ id });
      removeInvitations.run({ id });
      removeRules.run({ id });
      rows.removeTeam(id);
      return true;
    },
    clearDeleted(limit) {
      const withDomains: number[] = [];
      for (const { id, domains } of deleted.all({ limit })) {
        if (domains === 1) withDomains.push(id);
        else if (removeEvents.run({ id, limit }).changes + removeAudit.run({ id, limit }).changes === 0) {
          removeClaim.run({ id });
          removeOrphans.run({ id });
          remove.run({ id });
        }
      }
      return withDomains;
    },
    grant(team, userId, grant, { now, keepOwner = false, mustExist = false, most }) {
      if (find(team) === null || user.get({ user: userId }) === undefined) return null;
      const before = findMember(team, userId);
      if (mustExist && !before?.grants.some(({ source }) => source === grant.source)) return null;
      if (before === null) checkMembers({ team }, most);
      const after = grantsAfter(before?.grants ?? [], grant.source, grant.role);
      const stops = stopsOwning(before, after);
      if (keepOwner && stops && !rows.hasOtherOwner(team, userId)) return 'last-owner';
      if (stops) rows.revokeInvitations(team, userId);
      rows.add(team, userId, grant, now);
      return findMember(team, userId);
    },
    revoke(team, userId, source, { keepOwner = false } = {}) {
      const before = findMember(team, userId);
      if (!before?.grants.some((grant) => grant.source === source)) return false;
      const after = grantsAfter(before.grants, source, null);
      const stops = stopsOwning(before, after);
      if (keepOwner && stops && !rows.hasOtherOwner(team, userId)) return 'last-owner';
      if (stops) rows.revokeInvitations(team, userId);
      rows.remove(team, userId, source);
      if (after.length === 0) rows.revokeKeys(team, userId);
      return true;
    },
  };
}
