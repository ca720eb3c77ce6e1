import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { notDeleted, type UserRow } from '#adapters/stores/mongo/schema/rows.ts';
import { memberKey } from '#adapters/stores/mongo/teams/members.ts';
import { highest } from '#core/access/role.ts';
import type { Surroundings, TakeOver } from '#core/access/take-over.ts';
import type { Context } from './context.ts';

type Collections = Pick<Context, 'collections'>;

/** Reads the state that a takeover decides by, in a transaction that has locked the personal team of the user. */
export async function surroundings(
  { collections }: Collections,
  { session }: Pick<TeamLock, 'session'>,
  { _id: user, emailVerified }: UserRow,
): Promise<Surroundings> {
  const { members, teams, users, apiKeys, accounts, invitations } = collections;
  const rows = await members.find({ $or: [{ team: user }, { user }] }, { session }).toArray();
  const teamIds = rows.map(({ team }) => team);
  const found = await teams.find({ _id: { $in: teamIds } }, { session }).toArray();
  const people = await users.find({ _id: { $in: rows.map((row) => row.user) } }, { session }).toArray();
  const owners = await members.find({ team: { $in: teamIds }, role: 'owner' }, { session }).toArray();
  const ofUser = (field: 'team' | 'owner') => ({ $or: [{ [field]: user }, { createdBy: user }] });
  const keys = await apiKeys.find(ofUser('owner'), { session }).toArray();
  const withPassword = { owner: user, passwordHash: { $ne: null }, ...notDeleted };
  const emails = new Map(people.map(({ _id, email }) => [_id, email]));
  const byId = new Map(found.map((team) => [team._id, team]));
  return {
    user,
    emailVerified,
    memberships: rows.flatMap(({ team: id, user: member, grants }) => {
      const team = byId.get(id);
      const hasOtherOwner = owners.some((owner) => owner.team === id && owner.user !== member);
      const person = { id: member, email: emails.get(member) ?? '' };
      return team === undefined ? [] : [{ user: person, team: { ...team, id }, grants, hasOtherOwner }];
    }),
    keys: keys.map(({ _id: id, owner: team, name, createdBy }) => ({ id, team, name, createdBy })),
    accounts: (await accounts.find(withPassword, { session }).toArray()).map(({ _id: id, address }) => ({
      id,
      address,
    })),
    invitations: (await invitations.find(ofUser('team'), { session }).toArray()).map(
      ({ _id: id, team, createdBy }) => ({ id, team, createdBy }),
    ),
  };
}

/** Writes a takeover, in the same transaction. */
export async function takeOver(
  { collections }: Collections,
  { session }: Pick<TeamLock, 'session'>,
  { left, keys, accounts: emptied, invitations: ended }: TakeOver,
): Promise<void> {
  const { members, apiKeys, sessions, accounts, invitations } = collections;
  const idsOf = (things: { id: number }[]) => ({ $in: things.map(({ id }) => id) });
  const leaving = left.filter(({ grants }) => grants.length === 0);
  const gone = leaving.map(({ team, user }) => memberKey(team.id, user.id));
  await members.deleteMany({ _id: { $in: gone } }, { session });
  for (const { team, user, grants } of left) {
    const [first, ...others] = grants.map((grant) => grant.role);
    if (first === undefined) continue;
    const role = highest(first, ...others);
    await members.updateOne({ _id: memberKey(team.id, user.id) }, { $set: { grants, role } }, { session });
  }
  await sessions.deleteMany({ keyId: idsOf(keys) }, { session });
  await apiKeys.deleteMany({ _id: idsOf(keys) }, { session });
  await accounts.updateMany({ _id: idsOf(emptied) }, { $set: { passwordHash: null } }, { session });
  await invitations.deleteMany({ _id: idsOf(ended) }, { session });
}
