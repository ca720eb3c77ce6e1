import { type Account, isFull } from '#core/accounts/account.ts';
import { deleteAccount } from '#core/accounts/change-account.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { type NotePorts, noted } from '../notes.ts';
import { actOnAccount } from './act.ts';
import { type AccountEffect, type AccountView, accountRefused, decideAccount } from './decide.ts';
import { gatherAccount } from './gather.ts';
import { type AccountResource, domainOf, nameOf } from './resource.ts';

type Ports = NotePorts & Pick<Services, 'domains' | 'accounts' | 'accountPasswords' | 'cascade' | 'quotas'>;

/** Delay after which a change shows in the status, but for `usedBytes`. */
const pollMs = 3_000;
/** Delay after which `usedBytes` in the status is up to date. Long, since every mail changes it. */
const usageMs = 60_000;

export function createAccountKind(ports: Ports): Kind {
  const { accounts } = ports;
  const fingerprint = createFingerprint();
  return defineKind<AccountResource, AccountView, AccountEffect>({
    name: 'Account',
    plural: 'accounts',
    managedKind: 'account',
    nameOf,
    domainOf,
    reconciler: {
      gather: (resource, owner, resources) => gatherAccount(ports, resources, resource, owner),
      decide: decideAccount,
      act: (effect, view) => actOnAccount(ports, effect, view),
      refused: accountRefused,
    },
    objects: {
      async list(owners) {
        const managed = await accounts.listManaged();
        return managed
          .filter(({ owner }) => owners.has(owner))
          .map(({ owner, id, managedBy, address }) => ({ owner, id, managedBy, name: address }));
      },
      async remove({ owner, id, managedBy }) {
        const deletion = deleteAccount(ports, owner, id, managedBy);
        await noted(ports, owner, 'account.deleted', deletion, ({ address }) => address);
      },
      // Deleting a domain deletes its accounts.
      removeAll: async () => {},
      poll: {
        everyMs: pollMs,
        fingerprints: async () => fingerprint(await accounts.listManaged()),
      },
    },
  });
}

/** Returns a function that makes fingerprints, in which `usedBytes` are at most `usageMs` old. */
function createFingerprint() {
  let usage = new Map<Id, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  return (accounts: Omit<Account, 'mailboxes'>[]) => {
    if (performance.now() - readAt >= usageMs) {
      usage = new Map(accounts.map(({ id, usedBytes }) => [id, usedBytes]));
      readAt = performance.now();
    }
    return accounts.map((account) => {
      const { id, managedBy, active, catchAll, capture, storageLimit } = account;
      const rest = [active, catchAll, capture, storageLimit, isFull(account), usage.get(id)];
      return { managedBy, state: JSON.stringify([id, ...rest]) };
    });
  };
}
