import type { MongoClient } from 'mongodb';
import type { UserLock } from '#core/adapters/stores/mongo/locking/user-lock.ts';
import type { DeliveryTarget } from '#core/delivery/delivery.ts';
import type { AccountState } from '#core/delivery/plan-delivery.ts';
import type { Id } from '#core/ids.ts';

/** Account as deliveries cache it. `threaded`: one of its messages refers to another, or did so before. */
export type CachedAccount = AccountState & { threaded: boolean };

/** Cache of accounts, in the state after the latest batches of this process. */
export type AccountCache = {
  /**
   * Returns the accounts of targets, or null where one is missing or has changed. Used bytes may be too low, because other
   * processes deliver too. The write checks them.
   */
  get(lock: UserLock, targets: DeliveryTarget[]): Map<Id, CachedAccount> | null;
  /** Drops the accounts of a user. */
  forget(owner: Id): void;
  /** Notes the current primary before a transaction. Returns a function that caches the accounts after its commit. */
  beforeCommit(): (lock: UserLock, accounts: Map<Id, CachedAccount>) => void;
};

type Entry = { changes: number; accounts: Map<Id, CachedAccount> };

/** Largest number of cached users, and of accounts of each. The user that was written first is dropped first. */
const most = { users: 1000, accounts: 1000 };

/** Cache that is always empty. */
export const noAccountCache: AccountCache = {
  get: () => null,
  forget: () => {},
  beforeCommit: () => () => {},
};

/** Caches accounts by user. An entry is valid while nothing but deliveries changed the user (`changes`). */
export function createAccountCache(client: MongoClient): AccountCache {
  const users = new Map<Id, Entry>();
  let primaries = 0;
  // Drops the cache: a new primary may lack commits of the old one, and count other changes under the same numbers.
  client.on('topologyDescriptionChanged', () => {
    primaries += 1;
    users.clear();
  });

  const current = ({ changes }: UserLock, owner: Id): Entry | undefined => {
    const known = users.get(owner);
    return known !== undefined && known.changes === changes.get(owner) ? known : undefined;
  };
  return {
    get(lock, targets) {
      const found = new Map<Id, CachedAccount>();
      for (const { owner, accountId, mailbox } of targets) {
        const account = current(lock, owner)?.accounts.get(accountId);
        // A cached account has only the mailboxes that mail is delivered to by path.
        if (account === undefined || typeof mailbox !== 'string') return null;
        found.set(accountId, account);
      }
      return found;
    },
    forget: (owner) => {
      users.delete(owner);
    },
    beforeCommit() {
      const primary = primaries;
      return (lock, accounts) => {
        if (primary !== primaries) return;
        for (const [owner, own] of Map.groupBy(accounts.values(), (account) => account.owner)) {
          const before = current(lock, owner)?.accounts ?? [];
          const after = new Map([...before, ...own.map((account) => [account.id, account] as const)]);
          users.delete(owner);
          const changes = lock.changes.get(owner);
          if (changes === undefined || after.size > most.accounts) continue;
          users.set(owner, { changes, accounts: after });
        }
        for (const owner of users.keys()) {
          if (users.size <= most.users) return;
          users.delete(owner);
        }
      };
    },
  };
}
