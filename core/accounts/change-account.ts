import { type ByManager, defineChange, type Plan, type RowStore } from '#core/change.ts';
import type { Cascade } from '#core/domains/domain.ts';
import { invalid, NotFound, refuseForeignManager } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Account, AccountChange, AccountStore } from './account.ts';
import { type AccountPorts, refuseLargeLimit, refuseRivals } from './create-account.ts';

type Ports = AccountPorts & { accounts: Pick<AccountStore, 'find'> };

type Wanted = { set: AccountChange; manager?: string | null; mostBytes?: number };

/** Refuses a change that is invalid for this account, whatever the other accounts are. Throws NotFound, Invalid. */
function changeable<Known extends Pick<Account, 'address' | 'managedBy'>>(
  account: Known | null,
  { set, manager, mostBytes }: Wanted,
): Known {
  if (account === null) throw new NotFound();
  refuseForeignManager(account.managedBy, manager, 'account');
  if (account.address.startsWith('*@') && set.catchAll === false)
    throw invalid('catchAll', `${account.address} can only be a catch-all`);
  refuseLargeLimit(set.storageLimit, mostBytes);
  return account;
}

/**
 * Changes an account. Throws NotFound. Throws Invalid if somebody other than `manager` manages the account, if the storage limit exceeds
 * `mostBytes`, or if another account already has a role that only one may have.
 */
export const setAccount = defineChange(
  'setAccount',
  ['account', 'mailboxes', 'rivals'],
  (
    { account: found, mailboxes, rivals },
    { now, ...wanted }: ByManager & Wanted & { account: Id },
  ): Plan<Account> => {
    const { set } = wanted;
    const account = changeable(found, wanted);
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

/** Deletes an account. Throws NotFound. Throws Invalid if somebody other than `manager` manages the account. */
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
 * Changes the given properties of an account. `manager` is the Kubernetes resource that has managed the account so far, or null for the
 * API; `managedBy` replaces it. Throws NotFound, Invalid.
 */
export async function changeAccount(
  { rows, accounts, accountPasswords, payers, quotas, clock }: Ports,
  team: Id,
  account: Id,
  { password, ...set }: Omit<AccountChange, 'passwordHash'> & { password?: string },
  manager: string | null = null,
): Promise<Account> {
  const wanted: Wanted = { set, manager, mostBytes: quotas.storageBytes };
  if (password !== undefined) {
    // Hashing occupies a thread for a long time, so changes that would fail anyway are refused first.
    changeable(await accounts.find(team, account), wanted);
    wanted.set = {
      ...set,
      passwordHash: await accountPasswords.hash(password, String(await payers.of(team))),
    };
  }
  return rows.change(setAccount, { team, account, ...wanted, now: clock() });
}

/** Deletes an account with its mailboxes and messages. Its address is available again immediately. Throws NotFound, Invalid. */
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
