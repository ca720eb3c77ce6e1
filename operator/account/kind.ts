import { type Account, defaultFlags, isFull, withDefaults } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import { changeAccount, deleteAccount } from '#core/accounts/change-account.ts';
import { createAccount } from '#core/accounts/create-account.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { isAbandoned } from '../manager.ts';
import { isNewAt } from '../missing-domain.ts';
import { actOnNamed, audited } from '../objects.ts';
import type { ResourceReader, View } from '../reconcile.ts';
import { policyOf, setPolicy } from '../retention.ts';
import {
  type AccountEffect,
  type AccountResource,
  type AccountView,
  decideAccount,
  domainOf,
  nameOf,
  valuesOf,
} from './decide.ts';

/** Delay after which `usedBytes` in the status is up to date. Long, since every mail changes it. */
const usageMs = 60_000;

export function createAccountKind(services: Services): Kind {
  const { rows, managers } = services;
  const fingerprint = createFingerprint();
  const remove = (owner: Id, id: Id, managedBy: string | null) =>
    audited(
      services,
      owner,
      'account.deleted',
      deleteAccount(services, owner, id, managedBy),
      (one) => one.address,
    );
  return defineKind<AccountResource, AccountView, AccountEffect>({
    name: 'Account',
    plural: 'accounts',
    nameOf,
    domainOf,
    reconciler: {
      identity: ['address'],
      gather: (known, resources) => gather(services, known, resources),
      decide: decideAccount,
      act: (effect, view) => {
        const { owner, resource } = view;
        return actOnNamed(effect, resource, {
          create: (managedBy) =>
            createAccount(services, owner, {
              address: resource.spec.address,
              ...valuesOf(view).wanted,
              managedBy,
            }),
          change: (id, change, manager) => changeAccount(services, owner, id, change, manager),
          remove: (id, manager) => remove(owner, id, manager),
          setPolicy: (id, policy) => setPolicy(managers, { owner, kind: 'account', id }, policy),
        });
      },
    },
    objects: [
      {
        kind: 'account',
        async list(owners) {
          const managed = await rows.read('managedAccounts', {});
          return managed
            .filter(({ owner }) => owners.has(owner))
            .map(({ owner, id, managedBy, address }) => ({ owner, id, managedBy, name: address }));
        },
        remove: ({ owner, id, managedBy }) => remove(owner, id, managedBy),
        // Deleting a domain deletes its accounts.
        removeAll: async () => {},
        fingerprints: async () => fingerprint(await rows.read('managedAccounts', {})),
      },
    ],
  });
}

/** Reads the account that the owner has under the resource's address, and whether the owner has its domain. */
async function gather(
  { rows, accounts, clock }: Services,
  known: View<AccountResource>,
  resources: ResourceReader,
): Promise<AccountView> {
  const { resource, owner } = known;
  const { spec } = resource;
  const isNew = isNewAt(resource, clock());
  const parsed = parseAddress(spec.address);
  if (owner === null || parsed === null) {
    // An address that cannot be parsed is passed to the core, whose refusal names the reason.
    return {
      ...known,
      stored: null,
      isAbandoned: false,
      policy: 'Delete',
      hasDomain: parsed === null,
      isNew,
    };
  }
  const { address, domain } = parsed;
  const [found, { items }] = await Promise.all([
    rows.read('domain', { team: owner, domain }),
    accounts.list(owner, { address }, { page: 1, limit: 1 }),
  ]);
  const stored = items[0] ?? null;
  const abandoned = await isAbandoned(resources, resource, stored, (other) => nameOf(other) === address);
  const policy = stored === null ? 'Delete' : await policyOf(rows, { ...stored, kind: 'account' });
  return { ...known, stored, isAbandoned: abandoned, policy, hasDomain: found !== null, isNew };
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
      const { id, managedBy, storageLimit } = account;
      const flags = Object.values(withDefaults(defaultFlags, account));
      const state = JSON.stringify([id, ...flags, isFull(account), storageLimit, usage.get(id)]);
      return { managedBy, state };
    });
  };
}
