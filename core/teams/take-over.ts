import type { User } from '#core/access/access.ts';
import { highest } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';
import type { Actor, AuditAction } from './audit-log.ts';
import { type NotePorts, noteAction } from './note-action.ts';
import { type Grant, grantsAfter, stopsOwning, type Team } from './team.ts';

/** Membership of a user. `hasOtherOwner`: somebody else is an owner of the team. */
type Membership = {
  user: Pick<User, 'id' | 'email'>;
  team: Pick<Team, 'id' | 'name' | 'kind'>;
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

/** Writes a takeover to the audit log of the personal team, and to those of the teams that the user leaves. */
export async function noteTakeOver(
  ports: NotePorts,
  actor: Actor,
  { id, email }: User,
  { left, keys, accounts, invitations }: TakeOver,
): Promise<void> {
  const note = (team: Id, action: AuditAction, targets: string[]) =>
    noteAction(ports, team, actor, action, targets);
  const names = new Map(left.map(({ team }) => [team.id, team.name]));
  const placed = (text: string, team: Id) =>
    team === id ? text : `${text} in ${names.get(team) ?? `team ${team}`}`;
  await note(id, 'user.taken_over', [email]);
  const removed = left.map(({ user, team }) => placed(user.email, team.id));
  await note(id, 'member.removed', removed);
  const revoked = keys.map(({ name, team }) => placed(name, team));
  await note(id, 'api_key.revoked', revoked);
  await note(
    id,
    'account.password_removed',
    accounts.map(({ address }) => address),
  );
  const ended = invitations.map((invitation) => placed(String(invitation.id), invitation.team));
  await note(id, 'invitation.revoked', ended);
  for (const team of new Set(left.map((one) => one.team.id))) {
    if (team === id) continue;
    await note(team, 'member.removed', [email]);
  }
  for (const { team, name } of keys) if (team !== id) await note(team, 'api_key.revoked', [name]);
}
