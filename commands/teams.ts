import { allOf } from '#core/page.ts';
import { addManagedTeam, removeNamedTeam } from '#core/teams/manage-teams.ts';
import type { Config } from '#setup/config.ts';
import { type AdminPorts, administer } from './administer.ts';
import { printTable } from './table.ts';

/** Page that is read for the length of its list alone. */
const shortest = { page: 1, limit: 1 };

/** Prints all teams but the personal ones, the oldest first. */
export async function listTeams(config: Config): Promise<void> {
  printTable(['ID', 'NAME', 'KIND', 'MEMBERS', 'DOMAINS'], await administer(config, describeTeams));
}

async function describeTeams({ teams, domains }: AdminPorts): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { id, name, kind } of await allOf((page) => teams.list(page))) {
    const members = await teams.members(id, shortest);
    const owned = await domains.list(id, {}, shortest);
    rows.push([String(id), name, kind, String(members.total), String(owned.total)]);
  }
  return rows;
}

/** Makes a managed team. */
export async function addTeam(config: Config, name: string): Promise<void> {
  await administer(config, (ports) => addManagedTeam(ports, name));
}

/** Removes a managed or shared team with all that it owns. */
export async function remove(config: Config, nameOrId: string): Promise<void> {
  await administer(config, (ports) => removeNamedTeam(ports, nameOrId));
}
