import { defaultFlags, isFull, withDefaults } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import { changeAccount } from '#core/accounts/change-account.ts';
import { createAccount } from '#core/accounts/create-account.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { accountObjects, type Listed, removeAccount } from '../accounts.ts';
import { defineKind, type Kind } from '../kind.ts';
import { isNewAt } from '../missing-domain.ts';
import { actOnNamed, stateOf } from '../objects.ts';
import type { ResourceReader, View } from '../reconcile.ts';
import {
  type AccountEffect,
  type AccountResource,
  type AccountView,
  decideAccount,
  domainOf,
  nameOf,
  valuesOf,
} from './decide.ts';

/** Maximum delay in ms until the status shows the current `usedBytes`. The delay is long because every email changes the value. */
const usageMs = 60_000;

export function createAccountKind(services: Services): Kind {
  return defineKind<AccountResource, AccountView, AccountEffect>({
    name: 'Account',
    plural: 'accounts',
    nameOf,
    domainOf,
    reconciler: {
      identity: ['address'],
      gather: (known, resources) => gather(services, known, resources),
      decide: decideAccount,
      act(effect, view) {
        const { owner, resource } = view;
        const given = { address: resource.spec.address, ...valuesOf(view).wanted };
        return actOnNamed(services, 'account', effect, view, {
          create: (managedBy) => createAccount(services, owner, { ...given, managedBy }),
          change: (id, change, manager) => changeAccount(services, owner, id, change, manager),
          remove: (id, manager) => removeAccount(services, owner, id, manager),
        });
      },
    },
    objects: [accountObjects(services, 'Account', createState())],
  });
}

/** Reads the owner's account with the resource's address, and whether the owner has its domain. */
async function gather(
  services: Services,
  known: View<AccountResource>,
  resources: ResourceReader,
): Promise<AccountView> {
  const { rows, accounts, clock } = services;
  const { resource, owner } = known;
  const parsed = parseAddress(resource.spec.address);
  const [domain, items] =
    owner === null || parsed === null
      ? [null, []]
      : await Promise.all([
          rows.read('domain', { team: owner, domain: parsed.domain }),
          accounts.list(owner, { address: parsed.address }, { page: 1, limit: 1 }).then((list) => list.items),
        ]);
  const state = await stateOf(services, resources, resource, 'account', items[0] ?? null, nameOf);
  // An address that cannot be parsed goes to the core, whose refusal names the reason.
  const hasDomain = domain !== null || parsed === null;
  return { ...known, ...state, hasDomain, isNew: isNewAt(resource, clock()) };
}

/** Returns a function that reads accounts' states, in which `usedBytes` is at most `usageMs` old. */
function createState() {
  const usage = new Map<Id, number>();
  let clearAt = 0;
  return (account: Listed) => {
    const { id, usedBytes, storageLimit } = account;
    if (performance.now() >= clearAt) {
      usage.clear();
      clearAt = performance.now() + usageMs;
    }
    const known = usage.get(id) ?? usedBytes;
    usage.set(id, known);
    return [id, ...Object.values(withDefaults(defaultFlags, account)), isFull(account), storageLimit, known];
  };
}
