import type { MongoClient } from 'mongodb';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { lacking } from '#core/accounts/room.ts';
import type { DeliveryTarget } from '#core/delivery/delivery.ts';
import type { AccountState } from '#core/delivery/plan-delivery.ts';
import type { Id } from '#core/ids.ts';

/**
 * Account as deliveries cache it. `messages` were counted when `countedAt` was the newest event number of its team. `threaded`:
 * one of its messages refers to another, or did so before.
 */
export type CachedAccount = AccountState & { countedAt: number; threaded: boolean };

/** Cache of accounts, in the state after the latest batches of this process. */
export type AccountCache = {
  /**
   * Returns the accounts of targets, or null where one is missing or has changed, or may have too many messages. Used bytes
   * may be too low, because other processes deliver too. The write checks them. `messages` may be too high.
   */
  get(lock: TeamLock, targets: DeliveryTarget[]): Map<Id, CachedAccount> | null;
  /** Drops the accounts of a team. */
  forget(owner: Id): void;
  /** Notes the current primary before a transaction. Returns a function that caches the accounts after its commit. */
  beforeCommit(): (lock: TeamLock, accounts: Map<Id, CachedAccount>) => void;
};

type Entry = { changes: number; accounts: Map<Id, CachedAccount> };

/** Largest number of cached teams, and of accounts of each. The team that was written first is dropped first. */
const most = { teams: 1000, accounts: 1000 };

/** Cache that is always empty. */
export const noAccountCache: AccountCache = {
  get: () => null,
  forget: () => {},
  beforeCommit: () => () => {},
};

/**
 * Bounds the messages of an account at a later event number of its team, whichever process delivered them: each received message
 * has a number, and its mail at most one copy in Sent.
 */
function mostMessages(account: CachedAccount, newest: number): CachedAccount {
  const messages = account.messages + 2 * (newest - account.countedAt);
  return { ...account, messages, countedAt: newest };
}

/** Caches accounts by team. An entry is valid while nothing but deliveries changed the team (`changes`). */
export function createAccountCache(client: MongoClient): AccountCache {
  const teams = new Map<Id, Entry>();
  let primaries = 0;
  // Drops the cache: a new primary may lack commits of the old one, and count other changes under the same numbers.
  client.on('topologyDescriptionChanged', () => {
    primaries += 1;
    teams.clear();
  });

  const current = ({ changes }: TeamLock, owner: Id): Entry | undefined => {
    const known = teams.get(owner);
    return known !== undefined && known.changes === changes.get(owner) ? known : undefined;
  };
  return {
    get(lock, targets) {
      const found = new Map<Id, CachedAccount>();
      for (const { owner, accountId, mailbox } of targets) {
        const account = current(lock, owner)?.accounts.get(accountId);
        // A cached account has only the mailboxes that mail is delivered to by path.
        if (account === undefined || typeof mailbox !== 'string') return null;
        found.set(accountId, mostMessages(account, lock.newest.get(owner) ?? 0));
      }
      const byAccount = Map.groupBy(targets, ({ accountId }) => accountId);
      const areLight = [...found].every(([id, account]) => {
        return lacking(account, { bytes: 0, messages: byAccount.get(id)?.length ?? 0 }).messages === 0;
      });
      return areLight ? found : null;
    },
    forget: (owner) => {
      teams.delete(owner);
    },
    beforeCommit() {
      const primary = primaries;
      return (lock, accounts) => {
        if (primary !== primaries) return;
        for (const [owner, own] of Map.groupBy(accounts.values(), (account) => account.owner)) {
          const before = current(lock, owner)?.accounts ?? [];
          const after = new Map([...before, ...own.map((account) => [account.id, account] as const)]);
          teams.delete(owner);
          const changes = lock.changes.get(owner);
          if (changes === undefined || after.size > most.accounts) continue;
          teams.set(owner, { changes, accounts: after });
        }
        for (const owner of teams.keys()) {
          if (teams.size <= most.teams) return;
          teams.delete(owner);
        }
      };
    },
  };
}
