import type { Passwords, User, UserRecord, UserStore } from '#core/access/access.ts';
import { parseEmail, readEmail } from '#core/access/email.ts';
import { passwordLength } from '#core/access/password-hash.ts';
import { addUser as add, removeUser as remove, setDisabled, vouch } from '#core/access/user-changes.ts';
import type { RowStore } from '#core/change.ts';
import type { Cascade } from '#core/domains/domain.ts';
import { invalid, NotFound, unlessTaken } from '#core/errors.ts';
import type { AuditAction } from './audit-log.ts';
import {
  type AuditPorts,
  administrator,
  recordAction,
  recordEverywhere,
  recordTakeOver,
} from './record-action.ts';

type Ports = AuditPorts & { rows: RowStore; users: UserStore };

/** Creates a user. The administrator vouches for the email address. Throws Invalid. */
export async function addUser(
  ports: Ports & { passwords: Passwords },
  email: string,
  password: string,
): Promise<User> {
  const { rows, clock } = ports;
  const lower = readEmail(email);
  const passwordHash = await hashOf(ports, lower, password);
  const wanted = { email: lower, passwordHash, now: clock(), emailVerified: true };
  const user = await unlessTaken(rows.change(add, wanted));
  if (user === null) throw invalid('email', `${lower} is already registered`);
  await recordAction(ports, user.id, administrator, 'user.created', user.email);
  return user;
}

/**
 * Sets a user's new password and vouches for the email address. Ends the user's sessions and everything that a stranger may have created.
 * Throws NotFound, Invalid.
 */
export async function givePassword(
  ports: Ports & { passwords: Passwords },
  email: string,
  password: string,
): Promise<void> {
  const { user } = await find(ports, email);
  const passwordHash = await hashOf(ports, user.email, password);
  const vouched = await ports.rows.change(vouch, { user: user.id, passwordHash });
  if (vouched === null) throw noUser(email);
  if (vouched.taken !== null) await recordTakeOver(ports, administrator, user, vouched.taken);
  await record(ports, user, 'password.changed');
}

/** Disables a user: ends the user's sessions and refuses the user's keys. Throws NotFound. */
export async function disableUser(ports: Ports, email: string): Promise<void> {
  const { user, disabledAt } = await find(ports, email);
  await ports.rows.change(setDisabled, { user: user.id, at: disabledAt ?? ports.clock() });
  await record(ports, user, 'user.disabled');
}

/** Enables a user again. The user's existing keys work again. Throws NotFound. */
export async function enableUser(ports: Ports, email: string): Promise<void> {
  const { user } = await find(ports, email);
  await ports.rows.change(setDisabled, { user: user.id, at: null });
  await record(ports, user, 'user.enabled');
}

/**
 * Removes a user with the user's sessions, keys, memberships and personal team. The team's mail is removed later. Throws NotFound. Throws
 * Invalid if the user is a shared team's last owner.
 */
export async function removeUser(ports: Ports & { cascade: Cascade }, email: string): Promise<void> {
  const { rows, clock, cascade } = ports;
  const { user } = await find(ports, email);
  const left = await rows.change(remove, { user: user.id, now: clock() });
  cascade.begin();
  await recordAction(ports, left, administrator, 'member.removed', user.email);
}

async function find({ users }: Pick<Ports, 'users'>, email: string): Promise<UserRecord> {
  const found = await users.find({ email: parseEmail(email) ?? email });
  if (found === null) throw noUser(email);
  return found;
}

function noUser(email: string): Error {
  return new NotFound(`no user has the email ${email}`);
}

async function hashOf({ passwords }: { passwords: Passwords }, email: string, password: string) {
  const { least, most } = passwordLength;
  const length = [...password].length;
  if (length < least || length > most)
    throw invalid('password', `must have ${least} to ${most} characters, not ${length}`);
  return passwords.hash(password, email);
}

function record(ports: Ports, { id, email }: User, action: AuditAction): Promise<void> {
  return recordEverywhere(ports, id, administrator, action, email);
}
