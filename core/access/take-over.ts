import type { Id } from '#core/ids.ts';
import { type Grant, grantsAfter, stopsOwning, type TeamKind } from './grant.ts';
import { highest } from './role.ts';

/** Membership of a user. `hasOtherOwner`: somebody else is an owner of the team. */
type Membership = {
  user: { id: Id; email: string };
  team: { id: Id; name: string; kind: TeamKind };
  grants: Grant[];
  hasOtherOwner: boolean;
};
type Key = { id: Id; team: Id; name: string; createdBy: Id | null };
type Invitation = { id: Id; team: Id; createdBy: Id | null };

/**
 * State around a user. `memberships` are all of the user and all in the personal team. `keys` and `invitations` are those of the
 * personal team and those that the user made. `accounts` are those of the personal team that have a password.
 */
export type Surroundings = {
  user: Id;
  emailVerified: boolean;
  memberships: Membership[];
  keys: Key[];
  accounts: { id: Id; address: string }[];
  invitations: Invitation[];
};

/** Membership without its grants by invitation. `grants` are those that stay. */
type Left = Pick<Membership, 'user' | 'team' | 'grants'>;

/** Things that end when the owner of an e-mail takes over the user that somebody registered with it. */
export type TakeOver = Pick<Surroundings, 'keys' | 'accounts' | 'invitations'> & { left: Left[] };

/**
 * Decides what ends when somebody vouches for the e-mail of a user. Returns null where somebody had vouched before. Otherwise a
 * stranger may have registered the e-mail: the user is alone in the personal team afterwards, and a member only of teams that
 * would lose their last owner. Memberships by groups and Member resources stay, since no stranger grants them.
 */
export function planTakeOver(state: Surroundings): TakeOver | null {
  if (state.emailVerified) return null;
  const { user, memberships, keys, accounts, invitations } = state;
  const ofStranger = ({ team, createdBy }: Key | Invitation) => team === user || createdBy === user;
  return {
    left: memberships.flatMap((membership) => leaving(membership, user) ?? []),
    keys: keys.filter(ofStranger),
    accounts,
    invitations: invitations.filter(ofStranger),
  };
}

function leaving({ user, team, grants, hasOtherOwner }: Membership, owner: Id): Left | null {
  const isOther = team.id === owner ? user.id !== owner : user.id === owner;
  const after = grantsAfter(grants, 'direct', null);
  if (!isOther || after.length === grants.length) return null;
  const role = highest('viewer', ...grants.map((grant) => grant.role));
  const staysOwner = team.kind === 'shared' && !hasOtherOwner && stopsOwning({ role }, after);
  return staysOwner ? null : { user, team, grants: after };
}
