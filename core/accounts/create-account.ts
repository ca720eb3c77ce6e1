import type { Payers } from '#core/access/payers.ts';
import { defineChange, type Plan, type Rivals, type RowStore } from '#core/change.ts';
import type { Domain } from '#core/domains/domain.ts';
import { invalid, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';
import type { Quotas } from '#core/quotas.ts';
import {
  type Account,
  type AccountFlags,
  defaultFlags,
  defaultStorageLimit,
  type NewAccount,
  withDefaults,
} from './account.ts';
import { parseAddress } from './address.ts';

export type AccountInput = Partial<AccountFlags> & {
  address: string;
  domainId?: Id;
  password?: string;
  storageLimit?: number;
  managedBy: string | null;
};

export type AccountPorts = {
  rows: RowStore;
  accountPasswords: { hash(password: string, turn: string): Promise<string> };
  payers: Pick<Payers, 'of'>;
  quotas: Quotas;
  clock: () => Date;
};

const accountQuota = { field: 'address', limit: 'owned.accounts', things: 'accounts' } as const;

type Place = { domain: string; domainId?: Id; storageLimit: number; mostBytes?: number };

/**
 * Returns a new account's domain. Throws Invalid if the team has no such domain, if the address is in a different one, or if the storage
 * limit exceeds `mostBytes`.
 */
function domainOf({ domain, domainId, storageLimit, mostBytes }: Place, found: Domain | null): Domain {
  if (found === null) throw invalid('address', `${domain} is not one of your domains`);
  if (domainId !== undefined && domainId !== found.id)
    throw invalid('domainId', `is not the id of the domain ${found.name}`);
  refuseLargeLimit(storageLimit, mostBytes);
  return found;
}

/**
 * Adds an account with its system mailboxes to one of the team's domains. Throws Invalid if the domain does not exist, if the storage
 * limit exceeds `mostBytes`, if another account already has a role that only one may have, or if the team already has `quota` accounts.
 */
export const addAccount = defineChange(
  'addAccount',
  ['newAccount', 'newMailboxes', 'domain', 'accounts', 'rivals'],
  (
    { newAccount: id, newMailboxes, domain, accounts, rivals },
    given: NewAccount & Place & { team: Id; quota?: number },
  ): Plan<Account> => {
    const { team: owner, address, storageLimit, managedBy, passwordHash, createdAt } = given;
    const flags = withDefaults(defaultFlags, given);
    const { id: domainId } = domainOf(given, domain);
    if (rivals.address !== null) throw invalid('address', `${address} already exists`);
    refuseRivals({ id, ...flags }, rivals);
    requireRoom(accounts, { ...accountQuota, most: given.quota });
    const mailboxes = systemMailboxes.map((path, index) => ({
      ...{ id: newMailboxes[index] ?? 0, accountId: id, path, system: true, total: 0, unread: 0, createdAt },
    }));
    const account = {
      id,
      owner,
      domainId,
      address,
      ...flags,
      storageLimit,
      managedBy,
      usedBytes: 0,
      fullAt: null,
      mailboxes,
      createdAt,
      updatedAt: createdAt,
    };
    return { writes: [{ do: 'add-account', account, passwordHash }], result: account };
  },
);

/** Refuses a storage limit above the maximum, if a maximum is set. Throws Invalid. */
export function refuseLargeLimit(storageLimit: number | undefined, most: number | undefined): void {
  if (storageLimit === undefined || most === undefined || storageLimit <= most) return;
  throw invalid(
    'storageLimit',
    `must be at most ${Math.floor(most / 2 ** 20).toLocaleString('en')} MiB (${most} bytes)`,
    'owned.storageBytes',
  );
}

/** Refuses a second catch-all in a domain, or a second capture account in a team. Throws Invalid. */
export function refuseRivals(
  { id, catchAll, capture }: Pick<Account, 'id' | 'catchAll' | 'capture'>,
  rivals: Rivals,
): void {
  if (catchAll && ![null, id].includes(rivals.catchAll))
    throw invalid('catchAll', 'the domain already has a catch-all account');
  if (capture && rivals.capture !== null && rivals.capture.id !== id)
    throw invalid(
      'capture',
      `${rivals.capture.address} is already the capture account, and a team can have only one`,
    );
}

/** Creates an account with its system mailboxes in one of the owner's domains. Throws Invalid. */
export async function createAccount(ports: AccountPorts, team: Id, input: AccountInput): Promise<Account> {
  const { rows, accountPasswords, payers, quotas, clock } = ports;
  const parsed = parseAddress(input.address);
  if (parsed === null) throw invalid('address', 'must be an address such as qa@app.test');
  const { address, domain } = parsed;
  const wildcard = parsed.local === '*';
  if (wildcard && input.catchAll === false) {
    throw invalid('catchAll', `${address} is a catch-all address: omit this field or set it to true`);
  }
  const { password, managedBy } = input;
  const { storageLimit = Math.min(defaultStorageLimit, quotas.storageBytes) } = input;
  const flags = withDefaults({ ...defaultFlags, catchAll: wildcard }, input);
  const given = {
    ...{ domain, storageLimit, mostBytes: quotas.storageBytes },
    ...(input.domainId !== undefined && { domainId: input.domainId }),
  };
  let passwordHash: string | null = null;
  if (password !== undefined) {
    // Hashing occupies a thread for a long time, so accounts that could not be created anyway are refused first.
    domainOf(given, await rows.read('domain', { team, domain }));
    passwordHash = await accountPasswords.hash(password, String(await payers.of(team)));
  }
  return rows.change(addAccount, {
    ...{ team, address, ...flags, passwordHash, managedBy, createdAt: clock(), quota: quotas.accounts },
    ...given,
  });
}
