import type { Context } from '#adapters/stores/mongo/context.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { checkQuota } from '#adapters/stores/mongo/quota.ts';
import { type MemberRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { type Grant, grantsAfter, type MembershipSource, stopsOwning } from '#core/access/grant.ts';
import { highest } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';
import type { LastOwner, Member, TeamStore } from '#core/teams/team.ts';

/** Returns the id of a member's row. */
export function memberKey(team: Id, user: Id): string {
  return `${team}/${user}`;
}

/** Returns members with the e-mails of their users. */
export async function withEmails(
  { collections: { users } }: Pick<Context, 'collections'>,
  rows: MemberRow[],
): Promise<Member[]> {
  const ids = rows.map(({ user }) => user);
  const found = await users.find({ _id: { $in: ids } }, { projection: { email: 1 } }).toArray();
  const emails = new Map(found.map(({ _id, email }) => [_id, email]));
  return rows.map(({ user: userId, role, grants, joinedAt }) => ({
    userId,
    email: emails.get(userId) ?? '',
    role,
    grants,
    joinedAt,
  }));
}

/**
 * Adds or changes a grant in a transaction that has locked the team and the user. Returns the member, or null without the
 * team, the user or, with `mustExist`, the grant. Returns `last-owner`, with `keepOwner`, and changes nothing.
 */
export async function writeGrant(
  { collections: { teams, users, members, invitations } }: Pick<Context, 'collections'>,
  { session }: TeamLock,
  [team, user, grant, { now, keepOwner = false, mustExist = false, most }]: Parameters<TeamStore['grant']>,
): Promise<MemberRow | LastOwner | null> {
  const [owner, person] = [
    await teams.findOne({ _id: team, ...notDeleted }, { session }),
    await users.findOne({ _id: user }, { session }),
  ];
  if (owner === null || person === null) return null;
  const before = await members.findOne({ team, user }, { session });
  if (mustExist && !before?.grants.some(({ source }) => source === grant.source)) return null;
  if (before === null) await checkQuota(members, { team }, most, session);
  const grants = grantsAfter(before?.grants ?? [], grant.source, grant.role);
  const stops = stopsOwning(before, grants);
  if (keepOwner && stops && !(await hasOtherOwner(members, { session }, team, user))) return 'last-owner';
  if (stops) await invitations.deleteMany({ team, createdBy: user }, { session });
  const row: MemberRow = {
    _id: memberKey(team, user),
    team,
    user,
    role: highest(grant.role, ...grants.map(({ role }) => role)),
    grants,
    joinedAt: before?.joinedAt ?? now,
    suspended: person.disabledAt !== null,
  };
  await members.replaceOne({ _id: row._id }, row, { session, upsert: true });
  return row;
}

/**
 * Ends a grant in a transaction that has locked the team and the user. The last one takes the membership and its keys along.
 * Returns false where there is no such grant, and `last-owner` with `keepOwner`.
 */
export async function endGrant(
  { collections: { members, apiKeys, sessions, invitations } }: Pick<Context, 'collections'>,
  { session }: TeamLock,
  [team, user, source, { keepOwner = false } = {}]: Parameters<TeamStore['revoke']>,
): Promise<boolean | LastOwner> {
  const before = await members.findOne({ team, user }, { session });
  if (!before?.grants.some((grant) => grant.source === source)) return false;
  const grants: Grant[] = grantsAfter(before.grants, source, null);
  const stops = stopsOwning(before, grants);
  if (keepOwner && stops && !(await hasOtherOwner(members, { session }, team, user))) return 'last-owner';
  if (stops) await invitations.deleteMany({ team, createdBy: user }, { session });
  const [first, ...others] = grants.map(({ role }) => role);
  if (first !== undefined) {
    const role = highest(first, ...others);
    await members.updateOne({ _id: before._id }, { $set: { grants, role } }, { session });
    return true;
  }
  await members.deleteOne({ _id: before._id }, { session });
  const keys = await apiKeys
    .find({ owner: team, createdBy: user }, { session, projection: { _id: 1 } })
    .toArray();
  const keyIds = { $in: keys.map(({ _id }) => _id) };
  await sessions.deleteMany({ keyId: keyIds }, { session });
  await apiKeys.deleteMany({ _id: keyIds }, { session });
  return true;
}

async function hasOtherOwner(
  members: Context['collections']['members'],
  { session }: Pick<TeamLock, 'session'>,
  team: Id,
  user: Id,
): Promise<boolean> {
  const other = { team, user: { $ne: user }, role: 'owner' } as const;
  return (await members.findOne(other, { session, projection: { _id: 1 } })) !== null;
}

/** Condition for the members that have a grant of a source. */
export function withGrantOf(source: MembershipSource) {
  return { grants: { $elemMatch: { source } } };
}
