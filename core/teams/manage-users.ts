import type { Passwords, SessionStore, User, UserRecord, UserStore } from '#core/access/access.ts';
import { parseEmail, strangeEmail } from '#core/access/email.ts';
import { passwordLength } from '#core/access/password.ts';
import type { Cascade } from '#core/domains/cascade.ts';
import { invalid, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { allOf } from '#core/page.ts';
import type { AuditAction } from './audit-log.ts';
import { administrator, type NotePorts, noteAction, noteEverywhere } from './note-action.ts';
import { noteTakeOver } from './note-takeover.ts';
import type { Team, TeamStore } from './team.ts';

type Ports = NotePorts & { users: UserStore; teams: TeamStore };

/** Makes a user, for whose e-mail the administrator vouches. Throws Invalid. */
export async function addUser(
  ports: Ports & { passwords: Passwords },
  email: string,
  password: string,
): Promise<User> {
  const { users, clock } = ports;
  const lower = parseEmail(email);
  if (lower === null) throw invalid('email', strangeEmail);
  const passwordHash = await hashOf(ports, lower, password);
  const user = await users.insert(lower, passwordHash, clock(), { emailVerified: true });
  if (user === null) throw invalid('email', `${lower} is registered already`);
  await noteAction(ports, user.id, administrator, 'user.created', user.email);
  return user;
}

/**
 * Gives a user a new password, vouches for the e-mail, and ends the user's sessions and all that a stranger may have made.
 * Throws NotFound, Invalid.
 */
export async function givePassword(
  ports: Ports & { passwords: Passwords; sessions: SessionStore },
  email: string,
  password: string,
): Promise<void> {
  const { user } = await find(ports, email);
  const passwordHash = await hashOf(ports, user.email, password);
  const vouched = await ports.users.vouch(user.id, { passwordHash });
  if (vouched === null) throw noUser(email);
  await ports.sessions.removeOthers(user.id, '');
  if (vouched.taken !== null) await noteTakeOver(ports, administrator, user, vouched.taken);
  await note(ports, user, 'password.changed');
}

/** Disables a user: sessions end, and keys are refused. Throws NotFound. */
export async function disableUser(ports: Ports, email: string): Promise<void> {
  const { user, disabledAt } = await find(ports, email);
  await ports.users.setDisabled(user.id, disabledAt ?? ports.clock());
  await note(ports, user, 'user.disabled');
}

/** Enables a user again, with the keys that they have. Throws NotFound. */
export async function enableUser(ports: Ports, email: string): Promise<void> {
  const { user } = await find(ports, email);
  await ports.users.setDisabled(user.id, null);
  await note(ports, user, 'user.enabled');
}

/**
 * Removes a user with their sessions, keys, memberships and personal team, whose mail follows. Throws NotFound, and Invalid for
 * the last owner of a shared team. The user is disabled first and found until the end, so that a removal that was interrupted
 * can be repeated.
 */
export async function removeUser(ports: Ports & { cascade: Cascade }, email: string): Promise<void> {
  const { users, teams, clock, cascade } = ports;
  const { user, disabledAt } = await find(ports, email);
  await refuseLastOwner(teams, user);
  await users.setDisabled(user.id, disabledAt ?? clock());
  const left = (await allOf((page) => teams.listOf(user.id, page))).filter(({ id }) => id !== user.id);
  for (const team of left) {
    if (team.kind === 'shared' && !(await leave(teams, team.id, user.id))) {
      await users.setDisabled(user.id, disabledAt);
      throw lastOwner(team, user);
    }
  }
  await users.remove(user.id, clock());
  cascade.begin();
  const ids = left.map(({ id }) => id);
  await noteAction(ports, ids, administrator, 'member.removed', user.email);
}

/** Refuses a user without whom a shared team would have no owner. Throws Invalid. */
async function refuseLastOwner(teams: TeamStore, user: User): Promise<void> {
  for (const team of await allOf((page) => teams.listOf(user.id, page))) {
    if (team.kind !== 'shared' || team.role !== 'owner') continue;
    const members = await allOf((page) => teams.members(team.id, page));
    if (!members.some(({ userId, role }) => role === 'owner' && userId !== user.id))
      throw lastOwner(team, user);
  }
}

function lastOwner({ name, id }: Team, { email }: User): Error {
  return invalid(
    'email',
    `${email} is the last owner of the team "${name}" (id ${id}): make another member an owner, or remove the team`,
  );
}

/** Ends all grants of a member. Returns false for the last owner, who stays. */
async function leave(teams: TeamStore, team: Id, user: Id): Promise<boolean> {
  const member = await teams.findMember(team, user);
  for (const { source } of member?.grants ?? [])
    if ((await teams.revoke(team, user, source, { keepOwner: true })) === 'last-owner') return false;
  return true;
}

async function find({ users }: Pick<Ports, 'users'>, email: string): Promise<UserRecord> {
  const found = await users.findByEmail(parseEmail(email) ?? email);
  if (found === null) throw noUser(email);
  return found;
}

function noUser(email: string): Error {
  return new NotFound(`there is no user ${email}`);
}

async function hashOf({ passwords }: { passwords: Passwords }, email: string, password: string) {
  const { least, most } = passwordLength;
  const length = [...password].length;
  if (length < least || length > most)
    throw invalid('password', `must have ${least} to ${most} characters, not ${length}`);
  return passwords.hash(password, email);
}

function note(ports: Ports, { id, email }: User, action: AuditAction): Promise<void> {
  return noteEverywhere(ports, id, administrator, action, email);
}
