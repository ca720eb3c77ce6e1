import type { Account } from '#core/accounts/account.ts';
import { deleteAccount } from '#core/accounts/change-account.ts';
import type { Services } from '#core/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { type NotePorts, noted } from '../notes.ts';
import { actOnAccount } from './act.ts';
import { type AccountEffect, type AccountView, accountRefused, decideAccount } from './decide.ts';
import { gatherAccount } from './gather.ts';
import { type AccountResource, domainOf, nameOf } from './resource.ts';

type Ports = NotePorts & Pick<Services, 'domains' | 'accounts' | 'accountPasswords' | 'cascade' | 'quotas'>;

/** Delay after which `usedBytes` in the status is up to date. Long, since every mail changes it. */
const pollMs = 60_000;

export function createAccountKind(ports: Ports): Kind {
  const { accounts } = ports;
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
        async fingerprints() {
          return (await accounts.listManaged()).map((account) => ({
            managedBy: account.managedBy,
            state: stateOf(account),
          }));
        },
      },
    },
  });
}

function stateOf(account: Omit<Account, 'mailboxes'>): string {
  const { id, active, catchAll, capture, storageLimit, usedBytes } = account;
  return JSON.stringify([id, active, catchAll, capture, storageLimit, usedBytes]);
}
