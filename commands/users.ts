import { parseAddress } from '#core/accounts/address.ts';
import { allOf } from '#core/page.ts';
import { addUser, disableUser, enableUser, givePassword, removeUser } from '#core/teams/manage-users.ts';
import { type Config, ConfigError } from '#setup/config.ts';
import { administer } from './administer.ts';
import { readPassword } from './read-password.ts';
import { printTable } from './table.ts';

/** Most characters of an e-mail (RFC 5321 section 4.5.3.1.3). */
const mostEmailCharacters = 254;

/** Prints all users, the oldest first. */
export async function listUsers(config: Config): Promise<void> {
  const users = await administer(config, (ports) => allOf((page) => ports.users.list(page)));
  const rows = users.map(({ user, emailVerified, disabledAt }) => [
    String(user.id),
    user.email,
    emailVerified ? 'verified' : 'unverified',
    disabledAt === null ? 'active' : 'disabled',
    user.createdAt.toISOString(),
  ]);
  printTable(['ID', 'EMAIL', 'VERIFIED', 'STATE', 'CREATED'], rows);
}

/** Makes a user with the password on standard input. */
export async function add(config: Config, email: string): Promise<void> {
  if (parseAddress(email) === null || email.length > mostEmailCharacters)
    throw new ConfigError(`${JSON.stringify(email)} is not an e-mail address`);
  const password = await readPassword(email);
  await administer(config, (ports) => addUser(ports, email, password));
}

/** Gives a user the password on standard input. */
export async function password(config: Config, email: string): Promise<void> {
  const given = await readPassword(email);
  await administer(config, (ports) => givePassword(ports, email, given));
}

/** Disables a user. */
export function disable(config: Config, email: string): Promise<void> {
  return administer(config, (ports) => disableUser(ports, email));
}

/** Enables a user. */
export function enable(config: Config, email: string): Promise<void> {
  return administer(config, (ports) => enableUser(ports, email));
}

/** Removes a user with their personal team. */
export function remove(config: Config, email: string): Promise<void> {
  return administer(config, (ports) => removeUser(ports, email));
}
