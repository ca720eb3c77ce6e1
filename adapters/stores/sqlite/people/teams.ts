import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { onePage, pages, query } from '#adapters/stores/sqlite/workers/query.ts';
import { offsetOf, type Page } from '#core/page.ts';
import type { InvitationStore } from '#core/teams/invitations.ts';
import type { TeamStore } from '#core/teams/team.ts';
import {
  type GrantRow,
  grantColumns,
  type InvitationRow,
  invitationColumns,
  roleOfRank,
  type TeamRow,
  teamColumns,
  toInvitation,
  toMember,
  toTeam,
} from './rows.ts';

export function teamReads(db: DatabaseSync): Sync<TeamStore> {
  const byId = query<TeamRow>(
    db,
    `SELECT ${teamColumns} FROM team t WHERE t.id = :id AND t.deleted_at IS NULL`,
  );
  const byName = query<TeamRow>(
    db,
    `SELECT ${teamColumns} FROM team t WHERE t.name = :name AND t.kind = 'managed' AND t.deleted_at IS NULL`,
  );
  const teams = (where: string) =>
    pages(db, { columns: teamColumns, from: `FROM team t ${where}`, order: 't.id' }, toTeam);
  const shared = teams("INDEXED BY team_shared WHERE t.kind <> 'personal' AND t.deleted_at IS NULL");
  const all = teams('WHERE t.deleted_at IS NULL');
  const ofUser = query<TeamRow & GrantRow>(
    db,
    `SELECT ${teamColumns}, ${grantColumns} FROM membership m INDEXED BY membership_user JOIN team t ON t.id = m.team_id
     WHERE m.user_id = :user AND m.team_id IN (
       SELECT DISTINCT team_id FROM membership INDEXED BY membership_user WHERE user_id = :user ORDER BY team_id ${onePage})
     ORDER BY m.team_id, m.source`,
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
  const members = (users: string) =>
    query<GrantRow & { userId: number; email: string }>(
      db,
      `SELECT m.user_id AS userId, u.email, ${grantColumns} FROM membership m JOIN user u ON u.id = m.user_id
       WHERE m.team_id = :team AND m.user_id IN (${users}) ORDER BY m.user_id, m.source`,
    );
  const membersOfPage = members(
    `SELECT DISTINCT user_id FROM membership WHERE team_id = :team ORDER BY user_id ${onePage}`,
  );
  const oneMember = members(':user');
  const countMembers = query<{ total: number }>(
    db,
    'SELECT count(DISTINCT user_id) AS total FROM membership WHERE team_id = :team',
  );
  const bound = (page: Page) => ({ limit: page.limit, offset: offsetOf(page) });
  const toMembers = (rows: (GrantRow & { userId: number; email: string })[]) =>
    [...Map.groupBy(rows, ({ userId }) => userId).values()].flatMap((own) =>
      own.slice(0, 1).map(({ userId, email }) => ({ userId, email, ...toMember(own) })),
    );
  return {
    find(by) {
      const row = typeof by === 'number' ? byId.get({ id: by }) : byName.get({ name: by.managed });
      return row === undefined ? null : toTeam(row);
    },
    list: (page, { personal } = { personal: false }) => (personal ? all : shared)(page),
    listOf(user, page) {
      const rows = ofUser.all({ user, ...bound(page) });
      const items = [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((own) => {
        const { role, grants } = toMember(own);
        return own.slice(0, 1).map((row) => ({ ...toTeam(row), role, grants }));
      });
      return { items, total: countOfUser.get({ user })?.total ?? 0 };
    },
    roleOf: (team, user) => roleOfRank(role.get({ team, user })?.rank ?? null),
    members: (team, page) => ({
      items: toMembers(membersOfPage.all({ team, ...bound(page) })),
      total: countMembers.get({ team })?.total ?? 0,
    }),
    findMember: (team, user) => toMembers(oneMember.all({ team, user }))[0] ?? null,
  };
}

export function invitationReads(db: DatabaseSync): Sync<InvitationStore> {
  const valid = 'FROM invitation i WHERE i.team_id = :team AND i.expires_at > :now';
  const list = pages(db, { columns: invitationColumns, from: valid, order: 'i.id DESC' }, toInvitation);
  const byHash = query<InvitationRow & TeamRow>(
    db,
    `SELECT ${invitationColumns}, ${teamColumns} FROM invitation i JOIN team t ON t.id = i.team_id
     WHERE i.hash = :hash AND i.expires_at > :now`,
  );
  return {
    list: (team, now, page) => list(page, { team, now: now.getTime() }),
    find(hash, now) {
      const row = byHash.get({ hash, now: now.getTime() });
      return row === undefined ? null : { invitation: toInvitation(row), team: toTeam(row) };
    },
  };
}
