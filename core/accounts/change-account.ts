import type { ByManager } from '#core/change.ts';
import { defineChange, type Plan, type RowStore } from '#core/change.ts';
import type { Cascade } from '#core/domains/domain.ts';
import { invalid, NotFound, refuseForeignManager } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Quotas } from '#core/limits.ts';
import type { Account, AccountChange } from './account.ts';
import { refuseLargeLimit, refuseRivals } from './create-account.ts';

type Ports = {
  rows: RowStore;
  accountPasswords: { hash(password: string, turn: string): Promise<string> };
  quotas: Quotas;
  clock: () => Date;
};

/**
 * Changes an account. Throws NotFound, and Invalid where another than `manager` manages it, with a storage limit
 * above `mostBytes`, and where another account has what one alone may have.
 */
export const setAccount = defineChange(
  'setAccount',
  ['account', 'mailboxes', 'rivals'],
  (
    { account, mailboxes, rivals },
    { set, manager, mostBytes, now }: ByManager & { account: Id; set: AccountChange; mostBytes?: number },
  ): Plan<Account> => {
    if (account === null) throw new NotFound();
    refuseForeignManager(account.managedBy, manager, 'account');
    if (account.address.startsWith('*@') && set.catchAll === false)
      throw invalid('catchAll', `${account.address} can only be a catch-all`);
    refuseLargeLimit(set.storageLimit, mostBytes);
    const { passwordHash: _hash, ...shown } = set;
    const changed = { ...account, ...shown, updatedAt: now };
    refuseRivals(changed, rivals);
    const room = changed.storageLimit !== account.storageLimit;
    return {
      writes: [{ do: 'set-account', account: account.id, set: { ...set, updatedAt: now }, room }],
      result: { ...changed, fullAt: room ? null : account.fullAt, mailboxes },
    };
  },
);

/** Deletes an account. Throws NotFound, and Invalid where another than `manager` manages it. */
export const removeAccount = defineChange(
  'removeAccount',
  ['account'],
  ({ account }, { manager, now }: ByManager & { account: Id }): Plan<Pick<Account, 'address'>> => {
    if (account === null) throw new NotFound();
    refuseForeignManager(account.managedBy, manager, 'account');
    return { writes: [{ do: 'delete-account', account: account.id, now }], result: account };
  },
);

/**
 * Changes the given properties. `manager` is the Kubernetes resource that manages it so far, or null for the API;
 * `managedBy` puts another in its place. Throws NotFound, Invalid.
 */
export async function changeAccount(
  { rows, accountPasswords, quotas, clock }: Ports,
  team: Id,
  account: Id,
  { password, ...rest }: Omit<AccountChange, 'passwordHash'> & { password?: string },
  manager: string | null = null,
): Promise<Account> {
  const set =
    password === undefined
      ? rest
      : { ...rest, passwordHash: await accountPasswords.hash(password, String(team)) };
  const mostBytes = quotas.storageBytes;
  return rows.change(setAccount, { team, account, set, manager, mostBytes, now: clock() });
}

/** Deletes an account with its mailboxes and messages. Its address is free again at once. Throws NotFound, Invalid. */
export async function deleteAccount(
  { rows, cascade, clock }: { rows: RowStore; cascade: Cascade; clock: () => Date },
  team: Id,
  id: Id,
  manager: string | null = null,
): Promise<Pick<Account, 'address'>> {
  const account = await rows.change(removeAccount, { team, account: id, manager, now: clock() });
  cascade.begin();
  return account;
}
