import type { Id } from '#core/ids.ts';
import type { Membership, Surroundings } from './people.ts';
import { grantsAfter, stopsOwning } from './role.ts';

/** Membership without the grants from invitations. `grants` are the remaining grants. */
type Left = Pick<Membership, 'user' | 'team' | 'grants' | 'joinedAt'>;

/**
 * Memberships, keys, account passwords and invitations that end when the owner of an email address takes over the user that somebody else
 * registered with it.
 */
export type TakeOver = Pick<Surroundings, 'keys' | 'accounts' | 'invitations'> & { left: Left[] };

/**
 * Decides what ends when somebody first vouches for a user's email address. A stranger may have registered the address, so afterward the
 * user is alone in the personal team, and stays a direct member only of teams that would otherwise lose their last owner. Memberships
 * from groups and Member resources stay, because a stranger cannot grant them.
 */
export function planTakeOver(user: Id, { memberships, keys, accounts, invitations }: Surroundings): TakeOver {
  const ofStranger = ({ team, createdBy }: { team: Id; createdBy: Id | null }) =>
    team === user || createdBy === user;
  return {
    left: memberships.flatMap((membership) => leaving(membership, user) ?? []),
    keys: keys.filter(ofStranger),
    accounts,
    invitations: invitations.filter(ofStranger),
  };
}

function leaving({ hasOtherOwner, ...left }: Membership, owner: Id): Left | null {
  const { user, team, grants } = left;
  const isOther = team.id === owner ? user.id !== owner : user.id === owner;
  const after = grantsAfter(grants, 'direct', null);
  if (!isOther || after.length === grants.length) return null;
  const staysOwner = team.kind === 'shared' && !hasOtherOwner && stopsOwning(grants, after);
  return staysOwner ? null : { ...left, grants: after };
}
