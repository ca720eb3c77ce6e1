import type { DomainStore } from '#core/domains/domain.ts';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type Account, type AccountConflict, type AccountStore, defaultStorageLimit } from './account.ts';
import { parseAddress } from './address.ts';

export type AccountInput = {
  address: string;
  domainId?: Id;
  password?: string;
  active?: boolean;
  catchAll?: boolean;
  storageLimit?: number;
  managedBy: string | null;
};

type Ports = {
  domains: DomainStore;
  accounts: AccountStore;
  passwords: { hash(password: string): Promise<string> };
  clock: () => Date;
};

/** Makes an account with its system mailboxes on a domain of the owner's. Throws Invalid. */
export async function createAccount(ports: Ports, owner: Id, input: AccountInput): Promise<Account> {
  const parsed = parseAddress(input.address);
  if (parsed === null) throw invalid('address', 'must be an address such as qa@app.test');
  const wildcard = parsed.local === '*';
  if (wildcard && input.catchAll === false) {
    throw invalid('is_catch_all', `${parsed.address} is a catch-all address: leave it out or set it to true`);
  }
  const domain = await ports.domains.findByName(owner, parsed.domain);
  if (domain === null) throw invalid('address', `${parsed.domain} is not one of your domains`);
  if (input.domainId !== undefined && input.domainId !== domain.id) {
    throw invalid('domain_id', `is not the id of ${parsed.domain}`);
  }
  const account = await ports.accounts.insert(owner, {
    domainId: domain.id,
    address: parsed.address,
    active: input.active ?? true,
    catchAll: wildcard || (input.catchAll ?? false),
    storageLimit: input.storageLimit ?? defaultStorageLimit,
    passwordHash: input.password === undefined ? null : await ports.passwords.hash(input.password),
    managedBy: input.managedBy,
    createdAt: ports.clock(),
  });
  if (account === null) throw invalid('address', `${parsed.domain} is not one of your domains`);
  return written(account, parsed.address);
}

/** The account, unless the store said why not. Throws Invalid. */
export function written(account: Account | AccountConflict, address: string): Account {
  if (account === 'address-taken') throw invalid('address', `${address} is already an account`);
  if (account === 'catch-all-taken')
    throw invalid('is_catch_all', 'the domain already has a catch-all account');
  return account;
}
