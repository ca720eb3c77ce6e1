import { addKey } from '#core/access/key-changes.ts';
import type { Team } from '#core/access/people.ts';
import type { Account, AccountStore } from '#core/accounts/account.ts';
import { setAccount } from '#core/accounts/change-account.ts';
import { addAccount } from '#core/accounts/create-account.ts';
import type { RowStore } from '#core/change.ts';
import { setDomain } from '#core/domains/change-domain.ts';
import { addDomain } from '#core/domains/create-domain.ts';
import type { Domain } from '#core/domains/domain.ts';
import { Duplicate, Invalid, unlessGone, unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { addMailbox } from '#core/mailboxes/change-mailboxes.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { allOf } from '#core/page.ts';
import { addMailRule } from '#core/rules/change-mail-rules.ts';
import { addSearch } from '#core/search/change-saved-searches.ts';
import { grant } from '#core/teams/member-changes.ts';
import type { TeamStore } from '#core/teams/team.ts';
import { addTeam, changeTeam } from '#core/teams/team-changes.ts';
import type { ArchivedTeam } from './archive-shapes.ts';
import { type ImportedUsers, mayChange, type Trust } from './import-users.ts';

/**
 * A team's new ID, and the new IDs of its accounts and mailboxes by their old IDs. `isBefore`: the team was in the store before the
 * archive, so its members are not changed.
 */
type Home = {
  owner: Id;
  isBefore: boolean;
  accounts: Map<Id, Id>;
  mailboxes: Map<Id, Id>;
};
/** Homes by their teams' old IDs. */
export type Homes = Map<Id, Home>;

export type TeamPorts = {
  rows: RowStore;
  teams: TeamStore;
  accounts: AccountStore;
  clock: () => Date;
};

/** Maximum quota during the import. The archived quota is set after the mail has been imported. */
const noLimit = Number.MAX_SAFE_INTEGER;

/**
 * Creates missing teams, members, keys, saved searches, rules, domains, accounts and mailboxes. Creates accounts active and without a
 * quota, so the mail fits. Recognizes a shared team by its name and creation time. To a team that was in the store before this archive's
 * first run, adds only mail: no members, keys, searches, rules or passwords. Throws an error of one sentence if another team has a domain
 * or name.
 */
export async function importTeams(
  ports: TeamPorts,
  teams: ArchivedTeam[],
  users: ImportedUsers,
  trust: Trust,
): Promise<Homes> {
  const homes: Homes = new Map();
  const known = await allOf((page) => ports.rows.list('teams', {}, page));
  const shared = known.filter(({ kind }) => kind === 'shared');
  for (const archived of teams) {
    const found = await findOrMakeTeam(ports, archived, users, shared, trust);
    const { owner, isBefore } = found;
    if (!isBefore) {
      await importMembers(ports, owner, archived, users);
      await importSearches(ports, owner, archived);
      await importRules(ports, owner, archived);
    }
    const home: Home = { ...found, accounts: new Map(), mailboxes: new Map() };
    homes.set(archived.id, home);
    for (const domain of archived.domains) await importDomain(ports, owner, domain);
    for (const account of archived.accounts) await importAccount(ports, home, account);
  }
  return homes;
}

/** Finds or creates a team. `shared` are the store's shared teams that are not yet matched to one of the archive's teams. */
async function findOrMakeTeam(
  { rows, teams }: TeamPorts,
  { id, name, kind, createdAt }: ArchivedTeam,
  users: ImportedUsers,
  shared: Team[],
  trust: Trust,
): Promise<Pick<Home, 'owner' | 'isBefore'>> {
  if (kind === 'personal') {
    const user = users.byOldId.get(id);
    if (user === undefined) throw new Error(`the archive has no user for the personal team ${name}`);
    const isBefore = users.before.has(user.id);
    const team = isBefore ? null : await teams.find(user.id);
    if (team?.name === user.email && name !== user.email)
      await rows.change(changeTeam, { team: user.id, name });
    return { owner: user.id, isBefore };
  }
  const isSame = (team: Team) => team.name === name && team.createdAt.getTime() === createdAt.getTime();
  const at = shared.findIndex(isSame);
  const [known] = kind === 'shared' && at !== -1 ? shared.splice(at, 1) : [];
  const found = kind === 'managed' ? await teams.find({ managed: name }) : known;
  if (found) return { owner: found.id, isBefore: !(await mayChange(found.id, trust)) };
  const team = await unlessTaken(rows.change(addTeam, { name, kind, now: createdAt }));
  if (team === null) throw new Error(`the team ${name} cannot be created`);
  await trust.marks.set(team.id);
  return { owner: team.id, isBefore: false };
}

/** Adds missing members and keys. Skips users whom the archive does not contain, and users who were in the store before it. */
async function importMembers(
  { rows }: TeamPorts,
  team: Id,
  { members, apiKeys: keys }: ArchivedTeam,
  { byEmail, before }: ImportedUsers,
): Promise<void> {
  for (const { email, grants, joinedAt } of members) {
    const user = byEmail.get(email);
    if (user === undefined || before.has(user.id)) continue;
    const known =
      (await rows.read('member', { team, user: user.id }))?.grants.map(({ source }) => source) ?? [];
    for (const one of grants)
      if (!known.includes(one.source))
        await rows.change(grant, { team, user: user.id, grant: one, now: joinedAt });
  }
  for (const { createdBy: email, ...key } of keys) {
    const createdBy = email === null ? null : byEmail.get(email);
    // An earlier run created a key that already exists.
    if (createdBy === undefined || (createdBy && before.has(createdBy.id))) continue;
    const by = createdBy === null ? {} : { user: createdBy.id };
    await unlessTaken(rows.change(addKey, { team, ...by, stored: { ...key, createdBy } }));
  }
}

/** Adds missing saved searches. An earlier run created a search whose name already exists in the team. */
async function importSearches(
  { rows }: TeamPorts,
  team: Id,
  { searches: archived = [] }: ArchivedTeam,
): Promise<void> {
  const known = new Set((await rows.read('searches', { team })).map(({ name }) => name));
  for (const search of archived)
    if (!known.has(search.name)) await rows.change(addSearch, { team, ...search });
}

/** Adds the rules that an earlier run has not created yet. Runs create rules in this order. */
async function importRules({ rows }: TeamPorts, team: Id, { rules = [] }: ArchivedTeam): Promise<void> {
  const known = (await rows.read('mailRules', { team })).length;
  for (const words of rules.slice(known)) await rows.change(addMailRule, { team, words });
}

/** Restores the state and quota of teams, accounts and domains that still exist. */
export async function restoreSettings(
  { rows, clock }: TeamPorts,
  teams: ArchivedTeam[],
  homes: Homes,
): Promise<void> {
  for (const archived of teams) {
    const home = homes.get(archived.id);
    if (home === undefined) continue;
    const { owner: team } = home;
    const { allowsShares = true, clients = null } = archived;
    if (!home.isBefore && (!allowsShares || clients !== null))
      await unlessGone(rows.change(changeTeam, { team, allowsShares, clients }));
    for (const { id, active, storageLimit } of archived.accounts) {
      const account = home.accounts.get(id);
      const changed = { team, set: { active, storageLimit }, now: clock() };
      if (account !== undefined) await unlessGone(rows.change(setAccount, { ...changed, account }));
    }
    for (const { name, active } of archived.domains) {
      const domain = await rows.read('domain', { team, domain: name });
      const changed = { team, set: { active }, now: clock() };
      if (domain !== null && !active)
        await unlessGone(rows.change(setDomain, { ...changed, domain: domain.id }));
    }
  }
}

async function importDomain(
  { rows }: TeamPorts,
  team: Id,
  { name: domain, ...archived }: ArchivedTeam['domains'][number],
): Promise<Domain> {
  const found = await rows.read('domain', { team, domain });
  if (found !== null) return found;
  const refusal = `the domain ${domain} belongs to another team in this store, or is a parent or subdomain of such a domain`;
  const added = rows.change(addDomain, { team, domain, ...archived, active: true });
  return added.catch((error) => {
    throw error instanceof Invalid || error instanceof Duplicate ? new Error(refusal) : error;
  });
}

async function importAccount(
  ports: TeamPorts,
  home: Home,
  archived: ArchivedTeam['accounts'][number],
): Promise<void> {
  const account = await findOrMakeAccount(ports, home, archived);
  home.accounts.set(archived.id, account.id);
  const byPath = new Map(account.mailboxes.map((mailbox) => [pathKey(mailbox.path), mailbox]));
  for (const { id, path } of archived.mailboxes) {
    const place = { team: home.owner, account: account.id, path };
    const mailbox =
      byPath.get(pathKey(path)) ?? (await ports.rows.change(addMailbox, { ...place, now: ports.clock() }));
    home.mailboxes.set(id, mailbox.id);
  }
}

async function findOrMakeAccount(
  { rows, accounts }: TeamPorts,
  { owner: team, isBefore }: Pick<Home, 'owner' | 'isBefore'>,
  archived: ArchivedTeam['accounts'][number],
): Promise<Account> {
  const { address, capture = false, passwordHash } = archived;
  const { items } = await accounts.list(team, { address }, { page: 1, limit: 1 });
  if (items[0] !== undefined) return items[0];
  const added = rows.change(addAccount, {
    ...archived,
    team,
    domain: address.slice(address.lastIndexOf('@') + 1),
    passwordHash: isBefore ? null : passwordHash,
    capture,
    active: true,
    storageLimit: noLimit,
  });
  return added.catch((error) => {
    if (!(error instanceof Invalid)) throw error;
    const isCapture = error.violations.some(({ field }) => field === 'capture');
    throw new Error(
      isCapture
        ? `${address} cannot be the capture account: its team already has one in this store`
        : `the account ${address} cannot be created`,
    );
  });
}
