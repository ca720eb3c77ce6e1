import { parseAddress } from '#core/accounts/address.ts';
import { allOf } from '#core/page.ts';
import { addManagedTeam, removeNamedTeam } from '#core/teams/manage-teams.ts';
import { addUser, disableUser, enableUser, givePassword, removeUser } from '#core/teams/manage-users.ts';
import type { AuditPorts } from '#core/teams/record-action.ts';
import { type AdminServices, openAdminServices } from '#setup/admin-services.ts';
import { type Config, ConfigError } from '#setup/config.ts';
import { readPassword } from './read-password.ts';

/** Services for one action, with a log that reports missing audit log entries on standard error. */
export type AdminPorts = AdminServices & Pick<AuditPorts, 'log'>;

/** Runs one administrator action. */
export async function administer<T>(config: Config, work: (ports: AdminPorts) => Promise<T>): Promise<T> {
  const log: AdminPorts['log'] = {
    info: () => {},
    error: (_fields, message) => process.stderr.write(`sandpost: ${message}\n`),
  };
  const services = await openAdminServices(config);
  try {
    return await work({ ...services, log });
  } finally {
    await services.close();
  }
}

/** Maximum characters of an email address (RFC 5321 section 4.5.3.1.3). */
const mostEmailCharacters = 254;

/** Prints all users, oldest first. */
export async function listUsers(config: Config): Promise<void> {
  const users = await administer(config, (ports) => allOf((page) => ports.rows.list('users', {}, page)));
  const rows = users.map(({ user, emailVerified, disabledAt }) => [
    String(user.id),
    user.email,
    emailVerified ? 'verified' : 'unverified',
    disabledAt === null ? 'active' : 'disabled',
    user.createdAt.toISOString(),
  ]);
  printTable(['ID', 'EMAIL', 'VERIFIED', 'STATE', 'CREATED'], rows);
}

/** Creates a user with the password from standard input. */
export async function add(config: Config, email: string): Promise<void> {
  if (parseAddress(email) === null || email.length > mostEmailCharacters)
    throw new ConfigError(`${JSON.stringify(email)} is not an email address`);
  const password = await readPassword(email);
  await administer(config, (ports) => addUser(ports, email, password));
}

/** Sets a user's password from standard input. */
export async function password(config: Config, email: string): Promise<void> {
  const given = await readPassword(email);
  await administer(config, (ports) => givePassword(ports, email, given));
}

/** Use cases that need only a user's email address, or a team's name. */
const useCases = { disableUser, enableUser, removeUser, addManagedTeam, removeNamedTeam };

/** Runs a use case on the user or team that the operand names. */
export async function act(config: Config, useCase: keyof typeof useCases, operand: string): Promise<void> {
  await administer<unknown>(config, (ports) => useCases[useCase](ports, operand));
}

/** Shortest page, requested only for the total number of items. */
const shortest = { page: 1, limit: 1 };

/** Prints all teams except personal teams, oldest first. */
export async function listTeams(config: Config): Promise<void> {
  printTable(['ID', 'NAME', 'KIND', 'MEMBERS', 'DOMAINS'], await administer(config, describeTeams));
}

async function describeTeams({ rows }: AdminPorts): Promise<string[][]> {
  const described: string[][] = [];
  for (const { id, name, kind } of await allOf((page) => rows.list('teams', {}, page))) {
    const members = await rows.list('members', { team: id }, shortest);
    const owned = await rows.list('domains', { team: id }, shortest);
    described.push([String(id), name, kind, String(members.total), String(owned.total)]);
  }
  return described;
}

/**
 * Formats rows for people, aligned under their titles, or for a program, one row per line with tabs between the values. Replaces control
 * characters, which a terminal would obey, with question marks.
 */
export function formatTable(titles: string[], rows: string[][], forPerson: boolean): string {
  const safe = rows.map((row) => row.map((value) => value.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')));
  if (!forPerson) return safe.map((row) => `${row.join('\t')}\n`).join('');
  const all = [titles, ...safe];
  const widths = titles.map((_, column) =>
    all.reduce((most, row) => Math.max(most, [...(row[column] ?? '')].length), 0),
  );
  const pad = (value: string, column: number) => {
    const missing = (widths[column] ?? 0) - [...value].length;
    return value + ' '.repeat(missing);
  };
  return all.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** Prints rows to standard output. */
export function printTable(titles: string[], rows: string[][]): void {
  process.stdout.write(formatTable(titles, rows, process.stdout.isTTY === true));
}
