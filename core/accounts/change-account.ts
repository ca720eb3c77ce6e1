import type { Cascade } from '#core/domains/domain.ts';
import { invalid, NotFound, refuseForeignManager } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Quotas } from '#core/limits.ts';
import type { Account, AccountStore } from './account.ts';
import { checkStorageLimit, written } from './create-account.ts';

type Ports = {
  accounts: AccountStore;
  accountPasswords: { hash(password: string, turn: string): Promise<string> };
  quotas: Quotas;
  clock: () => Date;
};

/**
 * Changes the given properties. `manager` is the Kubernetes resource that manages it so far, or null for the API;
 * `managedBy` puts another in its place. Throws NotFound, Invalid.
 */
export async function changeAccount(
  ports: Ports,
  owner: Id,
  id: Id,
  change: {
    active?: boolean;
    catchAll?: boolean;
    capture?: boolean;
    storageLimit?: number;
    managedBy?: string;
    password?: string;
  },
  manager: string | null = null,
): Promise<Account> {
  const { password, ...rest } = change;
  const before = await managedAccount(ports.accounts, owner, id, manager);
  if (before.address.startsWith('*@') && rest.catchAll === false) {
    throw invalid('catchAll', `${before.address} can only be a catch-all`);
  }
  if (rest.storageLimit !== undefined) checkStorageLimit(ports.quotas, rest.storageLimit);
  const passwordHash =
    password === undefined
      ? {}
      : { passwordHash: await ports.accountPasswords.hash(password, String(owner)) };
  const account = await ports.accounts.update(owner, id, { ...rest, ...passwordHash }, ports.clock());
  if (account === null) throw new NotFound();
  return written(ports.accounts, owner, account, before.address);
}

/** Deletes an account with its mailboxes and messages. Its address is free again at once. Throws NotFound, Invalid. */
export async function deleteAccount(
  { accounts, cascade, clock }: { accounts: AccountStore; cascade: Cascade; clock: () => Date },
  owner: Id,
  id: Id,
  manager: string | null = null,
): Promise<Account> {
  const account = await managedAccount(accounts, owner, id, manager);
  if (!(await accounts.softDelete(owner, id, clock()))) throw new NotFound();
  cascade.begin();
  return account;
}

async function managedAccount(
  accounts: AccountStore,
  owner: Id,
  id: Id,
  manager: string | null,
): Promise<Account> {
  const account = await accounts.find(owner, id);
  if (account === null) throw new NotFound();
  refuseForeignManager(account.managedBy, manager, 'account');
  return account;
}
