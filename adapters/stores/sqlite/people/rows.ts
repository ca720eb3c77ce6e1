import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { date, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { ApiKey, KeyHolder, KeyScope, User } from '#core/access/access.ts';
import type { Invitation, Team } from '#core/access/people.ts';
import {
  type Grant,
  type MembershipSource,
  type Role,
  roleBy,
  roles,
  type TeamKind,
} from '#core/access/role.ts';

/** Returns the number that a role is stored as. The highest role has the highest. */
export function rankOf(role: Role): number {
  return roles.indexOf(role) + 1;
}

/** Returns the role that is stored as a number, or null without one. */
export function roleOfRank(rank: number | null): Role | null {
  return rank === null ? null : (roles[rank - 1] ?? null);
}

export type UserRow = { id: number; email: string; created_at: number };

export function toUser({ id, email, created_at }: UserRow): User {
  return { id, email, createdAt: new Date(created_at) };
}

export type TeamRow = { id: number; name: string; kind: TeamKind; created_at: number };
export const teamColumns = 't.id, t.name, t.kind, t.created_at';

export function toTeam({ id, name, kind, created_at }: TeamRow): Team {
  return { id, name, kind, createdAt: new Date(created_at) };
}

/** Membership by one source. */
export type GrantRow = { source: MembershipSource; rank: number; at: number };
export const grantColumns = 'm.source, m.role AS rank, m.at';

/** Makes a membership of its grants, of which there is one at least. */
export function toMember(rows: GrantRow[]): { role: Role; grants: Grant[]; joinedAt: Date } {
  const grants = rows.map(({ source, rank }) => ({ source, role: roleOfRank(rank) ?? 'viewer' }));
  return {
    role: roleBy(grants),
    grants,
    joinedAt: new Date(rows.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY)),
  };
}

export type InvitationRow = {
  invitation_id: number;
  team_id: number;
  rank: number;
  invited: string | null;
  created_by: number | null;
  made_at: number;
  expires_at: number;
};
export const invitationColumns = `i.id AS invitation_id, i.team_id, i.role AS rank, i.email AS invited, i.created_by,
  i.created_at AS made_at, i.expires_at`;

export function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.invitation_id,
    team: row.team_id,
    role: roleOfRank(row.rank) ?? 'viewer',
    email: row.invited,
    createdBy: row.created_by,
    createdAt: new Date(row.made_at),
    expiresAt: new Date(row.expires_at),
  };
}

export type KeyRow = {
  id: number;
  owner: number;
  name: string;
  prefix: string;
  scope: KeyScope;
  expires_at: number | null;
  created_by: number | null;
  email: string;
  user_since: number;
  managed_by: string | null;
  created_at: number;
  last_used_at: number | null;
};
export const keyColumns = `k.id, k.owner, k.name, k.prefix, k.scope, k.expires_at, k.created_by, k.managed_by, k.created_at,
  k.last_used_at, u.email, u.created_at AS user_since`;
export const keySource = 'FROM api_key k LEFT JOIN user u ON u.id = k.created_by';

export function toApiKey(row: KeyRow): ApiKey {
  const { id, owner, name, prefix, scope, created_by: creator, email, user_since } = row;
  return {
    ...{ id, owner, name, prefix, scope },
    expiresAt: date(row.expires_at),
    createdBy: creator === null ? null : toUser({ id: creator, email, created_at: user_since }),
    managedBy: row.managed_by,
    createdAt: new Date(row.created_at),
    lastUsedAt: date(row.last_used_at),
  };
}

/** Returns a function that finds the holder of the one key that fits a condition. */
export function keyHolder(
  db: DatabaseSync,
  condition: string,
): (bound: Record<string, SQLInputValue>) => KeyHolder | null {
  const find = query<KeyRow & { rank: number | null }>(
    db,
    `SELECT ${keyColumns}, (SELECT max(role) FROM membership WHERE team_id = k.owner AND user_id = k.created_by) AS rank
     ${keySource} WHERE ${condition} AND u.disabled_at IS NULL`,
  );
  return (bound) => {
    const row = find.get(bound);
    if (row === undefined) return null;
    const role = row.created_by === null ? 'member' : roleOfRank(row.rank);
    return role && { key: toApiKey(row), role };
  };
}
