import type { MongoClient } from 'mongodb';
import type { Turn } from '#core/adapters/stores/mongo/locking/transactions.ts';
import type { DeliveryTarget } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import type { CachedAccount } from './delivery-accounts.ts';

/** Accounts as this process left them, so that its next batch for them need not read them. */
export type DeliveryMemory = {
  /**
   * Those that the targets name, or null where one is not known as it is in this turn: they are as they were remembered,
   * but may have more bytes by now, for others deliver too.
   */
  recall(turn: Turn, targets: DeliveryTarget[]): Map<Id, CachedAccount> | null;
  /** Forgets the accounts of a user. */
  forget(owner: Id): void;
  /** To be asked before a turn's work: gives what takes the accounts as they are after its commit. */
  beforeCommit(): (turn: Turn, accounts: Map<Id, CachedAccount>) => void;
};

type Known = { changes: number; accounts: Map<Id, CachedAccount> };

/** Users that are remembered, and accounts of each: of more users, the one that was written first is forgotten. */
const most = { users: 1000, accounts: 1000 };

/** What this process remembers of a user holds, bytes aside, until something changes, which the user's head counts. */
export function createDeliveryMemory(client: MongoClient): DeliveryMemory {
  const users = new Map<Id, Known>();
  let primaries = 0;
  // A new primary may not have what the old one committed, and count other turns under the same numbers.
  client.on('topologyDescriptionChanged', () => {
    primaries += 1;
    users.clear();
  });

  const current = ({ changes }: Turn, owner: Id): Known | undefined => {
    const known = users.get(owner);
    return known !== undefined && known.changes === changes.get(owner) ? known : undefined;
  };
  return {
    recall(turn, targets) {
      const found = new Map<Id, CachedAccount>();
      for (const { owner, accountId, mailbox } of targets) {
        const account = current(turn, owner)?.accounts.get(accountId);
        // Only the mailboxes that mail is delivered to by path are read with every account.
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
      return (turn, accounts) => {
        if (primary !== primaries) return;
        for (const [owner, own] of Map.groupBy(accounts.values(), (account) => account.owner)) {
          const before = current(turn, owner)?.accounts ?? [];
          const after = new Map([...before, ...own.map((account) => [account.id, account] as const)]);
          users.delete(owner);
          const changes = turn.changes.get(owner);
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
