import { parseAddress } from '#core/accounts/address.ts';
import { changeAccount, deleteAccount } from '#core/accounts/change-account.ts';
import { createAccount } from '#core/accounts/create-account.ts';
import type { Services } from '#core/services.ts';
import { type AccountEffect, type AccountView, accountRefused, decideAccount } from './decide-account.ts';
import { bytesOf } from './quantity.ts';
import type { Reconciler } from './reconcile.ts';
import { type AccountResource, managerOf } from './resources.ts';
import { ignoreGone, type Tenants } from './tenants.ts';

type Ports = Pick<Services, 'domains' | 'accounts' | 'accountPasswords' | 'cascade' | 'clock' | 'quotas'> & {
  tenants: Tenants;
  /** The domain of this name has an account more, or one fewer. */
  onAccount(domain: string): void;
};

/** Makes the store's accounts what Accounts want, by the use-cases that the API has. */
export function createAccountReconciler(
  ports: Ports,
): Reconciler<AccountResource, AccountView, AccountEffect> {
  return {
    async gather(resource) {
      const { metadata, spec } = resource;
      const storageLimit = bytesOf(spec.storageLimit);
      const owner = await ports.tenants.find(metadata.namespace);
      const parsed = parseAddress(spec.address);
      if (owner === null || parsed === null) {
        return { resource, stored: null, hasDomain: parsed === null, storageLimit };
      }
      const { address, domain } = parsed;
      const [found, { items }] = await Promise.all([
        ports.domains.findByName(owner, domain),
        ports.accounts.list(owner, { address }, { page: 1, limit: 1 }),
      ]);
      return { resource, stored: items[0] ?? null, hasDomain: found !== null, storageLimit };
    },
    decide: decideAccount,
    async act(effect, { resource: { metadata, spec }, storageLimit }) {
      const manager = managerOf(metadata);
      const owner = await ports.tenants.ensure(metadata.namespace);
      if (effect.do === 'create') {
        const catchAll = spec.catchAll === undefined ? {} : { catchAll: spec.catchAll };
        const wanted = { address: spec.address, active: spec.active, storageLimit, managedBy: manager };
        await createAccount(ports, owner, { ...wanted, ...catchAll });
      } else if (effect.do === 'change') {
        await changeAccount(ports, owner, effect.id, effect.change, manager);
        return;
      } else {
        await deleteAccount(ports, owner, effect.id, manager).catch(ignoreGone);
      }
      ports.onAccount(spec.address.slice(spec.address.lastIndexOf('@') + 1));
    },
    refused: accountRefused,
  };
}
