import type { DomainStore } from '#core/domains/domain.ts';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Quotas } from '#core/limits.ts';
import { type Account, type AccountConflict, type AccountStore, defaultStorageLimit } from './account.ts';
import { parseAddress } from './address.ts';

export type AccountInput = {
  address: string;
  domainId?: Id;
  password?: string;
  active?: boolean;
  catchAll?: boolean;
  capture?: boolean;
  storageLimit?: number;
  managedBy: string | null;
};

type Ports = {
  domains: DomainStore;
  accounts: AccountStore;
  accountPasswords: { hash(password: string, turn: string): Promise<string> };
  quotas: Quotas;
  clock: () => Date;
};

/** Creates an account with its system mailboxes on a domain of the owner's. Throws Invalid. */
export async function createAccount(ports: Ports, owner: Id, input: AccountInput): Promise<Account> {
  const parsed = parseAddress(input.address);
  if (parsed === null) throw invalid('address', 'must be an address such as qa@app.test');
  const wildcard = parsed.local === '*';
  if (wildcard && input.catchAll === false) {
    throw invalid('catchAll', `${parsed.address} is a catch-all address: leave it out or set it to true`);
  }
  const domain = await ports.domains.find(owner, parsed.domain);
  if (domain === null) throw invalid('address', `${parsed.domain} is not one of your domains`);
  if (input.domainId !== undefined && input.domainId !== domain.id) {
    throw invalid('domainId', `is not the id of ${parsed.domain}`);
  }
  const storageLimit = input.storageLimit ?? Math.min(defaultStorageLimit, ports.quotas.storageBytes);
  checkStorageLimit(ports.quotas, storageLimit);
  const wanted = {
    domainId: domain.id,
    address: parsed.address,
    active: input.active ?? true,
    catchAll: wildcard || (input.catchAll ?? false),
    capture: input.capture ?? false,
    storageLimit,
    passwordHash:
      input.password === undefined ? null : await ports.accountPasswords.hash(input.password, String(owner)),
    managedBy: input.managedBy,
    createdAt: ports.clock(),
  };
  const most = ports.quotas.accounts;
  const quota = { field: 'address', limit: 'owned.accounts', things: 'accounts', most } as const;
  const account = await ports.accounts.insert(owner, wanted, quota);
  if (account === null) throw invalid('address', `${parsed.domain} is not one of your domains`);
  return written(ports.accounts, owner, account, parsed.address);
}

/** Throws Invalid for a storage limit above the largest allowed one. */
export function checkStorageLimit({ storageBytes }: Quotas, storageLimit: number): void {
  if (storageLimit <= storageBytes) return;
  throw invalid('storageLimit', `must be at most ${storageBytes}`, 'owned.storageBytes');
}

/** Returns the account that a store wrote. Throws Invalid where the store reports a conflict instead. */
export async function written(
  accounts: Pick<AccountStore, 'findCapture'>,
  owner: Id,
  account: Account | AccountConflict,
  address: string,
): Promise<Account> {
  if (account === 'address-taken') throw invalid('address', `${address} is already an account`);
  if (account === 'catch-all-taken') throw invalid('catchAll', 'the domain already has a catch-all account');
  if (account === 'capture-taken') {
    const first = await accounts.findCapture(owner);
    throw invalid(
      'capture',
      `${first ?? 'another account'} is the capture account already, and there is one`,
    );
  }
  return account;
}
