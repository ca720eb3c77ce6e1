import type { DatabaseSync } from 'node:sqlite';
import { quota } from '#adapters/stores/sqlite/quota.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { onePage, query } from '#adapters/stores/sqlite/workers/query.ts';
import { highest } from '#core/access/role.ts';
import { offsetOf } from '#core/page.ts';
import type { Invitation, InvitationStore } from '#core/teams/invitation.ts';
import { rankOf, roleOfRank } from './memberships.ts';
import { type TeamRow, teamColumns, teamReads, teamWrites, toTeam } from './teams.ts';

export type InvitationReads = Sync<Pick<InvitationStore, 'list' | 'find'>>;
export type InvitationWrites = Sync<Omit<InvitationStore, 'list' | 'find'>>;

type Row = {
  invitation_id: number;
  team_id: number;
  rank: number;
  email: string | null;
  created_by: number | null;
  made_at: number;
  expires_at: number;
};

const columns = `i.id AS invitation_id, i.team_id, i.role AS rank, i.email, i.created_by, i.created_at AS made_at, i.expires_at`;

function toInvitation(row: Row): Invitation {
  return {
    id: row.invitation_id,
    team: row.team_id,
    role: roleOfRank(row.rank) ?? 'viewer',
    email: row.email,
    createdBy: row.created_by,
    createdAt: new Date(row.made_at),
    expiresAt: new Date(row.expires_at),
  };
}

export function invitationReads(db: DatabaseSync): InvitationReads {
  const valid = 'FROM invitation i WHERE i.team_id = :team AND i.expires_at > :now';
  const list = query<Row>(db, `SELECT ${columns} ${valid} ORDER BY i.id DESC ${onePage}`);
  const count = query<{ total: number }>(db, `SELECT count(*) AS total ${valid}`);
  const byHash = query<Row & TeamRow>(
    db,
    `SELECT ${columns}, ${teamColumns} FROM invitation i JOIN team t ON t.id = i.team_id
     WHERE i.hash = :hash AND i.expires_at > :now`,
  );
  return {
    list(team, now, page) {
      const wanted = { team, now: now.getTime() };
      const rows = list.all({ ...wanted, limit: page.limit, offset: offsetOf(page) });
      return { items: rows.map(toInvitation), total: count.get(wanted)?.total ?? 0 };
    },
    find(hash, now) {
      const row = byHash.get({ hash, now: now.getTime() });
      return row === undefined ? null : { invitation: toInvitation(row), team: toTeam(row) };
    },
  };
}

export function invitationWrites(db: DatabaseSync): InvitationWrites {
  const { find } = invitationReads(db);
  const teams = { ...teamReads(db), ...teamWrites(db) };
  const checkQuota = quota(db, 'FROM invitation WHERE team_id = :team AND expires_at > :now');
  const checkTeams = quota(db, 'FROM (SELECT DISTINCT team_id FROM membership WHERE user_id = :user)');
  const insert = query(
    db,
    `INSERT INTO invitation (team_id, role, email, hash, created_by, created_at, expires_at)
     VALUES (:team, :role, :email, :hash, :by, :at, :expires)`,
  );
  const remove = query(db, 'DELETE FROM invitation WHERE id = :id AND team_id = :team');
  const removeExpired = query(db, 'DELETE FROM invitation WHERE expires_at <= :now');
  return {
    insert({ hash, ...invitation }, most) {
      const { team, role, email, createdBy, createdAt, expiresAt } = invitation;
      if (teams.find(team) === null) return null;
      if (createdBy !== null && teams.roleOf(team, createdBy) !== 'owner') return null;
      const at = createdAt.getTime();
      checkQuota({ team, now: at }, most);
      const { id } = insert.run({
        team,
        role: rankOf(role),
        email,
        hash,
        by: createdBy,
        at,
        expires: expiresAt.getTime(),
      });
      return { id, ...invitation };
    },
    remove: (team, id) => remove.run({ team, id }).changes === 1,
    accept(hash, user, now, most) {
      const found = find(hash, now);
      if (found === null) return null;
      const { invitation, team } = found;
      if (invitation.email !== null && invitation.email !== user.email) return null;
      const before = teams.findMember(team.id, user.id);
      if (before === null) checkTeams({ user: user.id }, most.teams);
      const direct = before?.grants.filter(({ source }) => source === 'direct') ?? [];
      const role = highest(invitation.role, ...direct.map((grant) => grant.role));
      const grant = { source: 'direct', role } as const;
      const member = teams.grant(team.id, user.id, grant, { now, most: most.members });
      if (member === null || member === 'last-owner') return null;
      remove.run({ id: invitation.id, team: team.id });
      return { team, role: member.role };
    },
    removeExpired(now) {
      removeExpired.run({ now: now.getTime() });
    },
  };
}
