import type { ApiKey, UserStore } from '#core/access/access.ts';
import type { Account, AccountStore } from '#core/accounts/account.ts';
import type { Domain, DomainStore } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import { type Mailbox, type MailboxStore, pathKey } from '#core/mailboxes/mailbox.ts';
import { type ArchivedUser, beginning, type Place } from './archive.ts';

type KeyStore = {
  insert(owner: Id, key: ArchivedUser['apiKeys'][number]): Promise<ApiKey | null>;
};

/**
 * New ids of a user's accounts and mailboxes by their old ones. `last` and `settled` are the state of the search for
 * messages that were not noted.
 */
type Home = {
  owner: Id;
  accounts: Map<Id, Id>;
  mailboxes: Map<Id, Id>;
  last: Place;
  settled: boolean;
};
export type Homes = Map<string, Home>;

/** Ports of an import of users, and of all that they have beside messages. */
export type UserPorts = {
  users: UserStore;
  apiKeys: KeyStore;
  domains: DomainStore;
  accounts: AccountStore;
  mailboxes: MailboxStore;
  clock: () => Date;
};

/** Largest possible quota. The real one is set after the import of the mail. */
const noLimit = Number.MAX_SAFE_INTEGER;

/**
 * Creates missing users, keys, domains, accounts and mailboxes, active and without quota, so that the mail fits. Throws an
 * error of one sentence for a name that another user has.
 */
export async function importUsers(ports: UserPorts, users: ArchivedUser[]): Promise<Homes> {
  const homes: Homes = new Map();
  for (const archived of users) {
    const owner = await importUser(ports, archived);
    const home: Home = { owner, accounts: new Map(), mailboxes: new Map(), last: beginning, settled: false };
    homes.set(archived.email, home);
    for (const domain of archived.domains) await importDomain(ports, owner, domain);
    for (const account of archived.accounts) await importAccount(ports, home, account);
  }
  return homes;
}

/** Gives accounts and domains the state and the quota that they had. */
export async function restoreSettings(ports: UserPorts, users: ArchivedUser[], homes: Homes): Promise<void> {
  for (const archived of users) {
    const home = homes.get(archived.email);
    if (home === undefined) continue;
    for (const { id, active, storageLimit } of archived.accounts) {
      const account = home.accounts.get(id);
      if (account !== undefined)
        await ports.accounts.update(home.owner, account, { active, storageLimit }, ports.clock());
    }
    for (const { name, active } of archived.domains) {
      const domain = await ports.domains.findByName(home.owner, name);
      if (domain !== null && !active)
        await ports.domains.update(home.owner, domain.id, { active }, ports.clock());
    }
  }
}

async function importUser({ users, apiKeys, clock }: UserPorts, archived: ArchivedUser): Promise<Id> {
  const found = await users.findByEmail(archived.email);
  const user = found?.user ?? (await users.insert(archived.email, archived.passwordHash, clock()));
  if (user === null) throw new Error(`the user ${archived.email} cannot be made`);
  // A key that exists already is from an earlier run.
  for (const key of archived.apiKeys) await apiKeys.insert(user.id, key);
  return user.id;
}

async function importDomain(
  { domains }: UserPorts,
  owner: Id,
  domain: ArchivedUser['domains'][number],
): Promise<Domain> {
  const found = await domains.findByName(owner, domain.name);
  const made = found ?? (await domains.insert(owner, { ...domain, active: true }));
  if (made === null || made === 'overlaps')
    throw new Error(
      `the domain ${domain.name} belongs to another user of this store, or lies above or below a domain of theirs`,
    );
  return made;
}

async function importAccount(
  ports: UserPorts,
  home: Home,
  archived: ArchivedUser['accounts'][number],
): Promise<void> {
  const account = await findOrMakeAccount(ports, home.owner, archived);
  home.accounts.set(archived.id, account.id);
  const byPath = new Map(account.mailboxes.map((mailbox) => [pathKey(mailbox.path), mailbox]));
  for (const { id, path } of archived.mailboxes) {
    const mailbox: Mailbox | 'taken' | null | undefined =
      byPath.get(pathKey(path)) ??
      (await ports.mailboxes.insert(home.owner, account.id, path, ports.clock()));
    if (!mailbox || mailbox === 'taken')
      throw new Error(`the mailbox ${path} of ${archived.address} cannot be made`);
    home.mailboxes.set(id, mailbox.id);
  }
}

async function findOrMakeAccount(
  ports: UserPorts,
  owner: Id,
  archived: ArchivedUser['accounts'][number],
): Promise<Account> {
  const { items } = await ports.accounts.list(owner, { address: archived.address }, { page: 1, limit: 1 });
  if (items[0] !== undefined) return items[0];
  const domain = await ports.domains.findByName(
    owner,
    archived.address.slice(archived.address.lastIndexOf('@') + 1),
  );
  const made =
    domain === null
      ? null
      : await ports.accounts.insert(owner, {
          ...archived,
          domainId: domain.id,
          capture: archived.capture ?? false,
          active: true,
          storageLimit: noLimit,
        });
  if (made === 'capture-taken')
    throw new Error(`${archived.address} cannot be the capture account: its user has another in this store`);
  if (made === null || typeof made === 'string')
    throw new Error(`the account ${archived.address} cannot be made`);
  return made;
}
