import { type Account, isFull } from '#core/accounts/account.ts';
import type { Invalid } from '#core/errors.ts';
import { managerOf } from '../manager.ts';
import { type CommonStep, finalizerStep, notReady, type Report, type View } from '../reconcile.ts';
import { type Finding, ready, stalled, waiting } from '../runtime/conditions.ts';
import { isDeleted } from '../runtime/resource.ts';
import { type AccountResource, domainOf } from './resource.ts';

/**
 * `stored` is the owner's account of the resource's address. `isAbandoned` is true where the resource that manages it is
 * missing. `hasDomain` is true where the owner has its domain. `isNew` is true for some seconds after the creation.
 */
export type AccountView = View<AccountResource> & {
  stored: Account | null;
  isAbandoned: boolean;
  hasDomain: boolean;
  isNew: boolean;
  storageLimit: number;
};

type Change = { active?: boolean; catchAll?: boolean; capture?: boolean; storageLimit?: number };

export type AccountEffect =
  | { do: 'create' }
  | { do: 'change'; id: number; change: Change }
  | { do: 'adopt'; id: number; from: string | null }
  | { do: 'delete'; id: number };

/** Interval in which a new Account looks for its Domain. A Domain that comes makes it look at once. */
const pendingMs = 1_000;
/** Largest number of mailboxes that the status lists. */
const maxMailboxes = 100;

/** Returns the next step towards the spec of an Account. */
export function decideAccount(view: AccountView): CommonStep<AccountResource> | AccountEffect {
  const { resource, stored } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const isOurs = stored?.managedBy === managerOf(resource.metadata);
  if (isDeleted(resource)) {
    return stored && isOurs ? { do: 'delete', id: stored.id } : { do: 'remove-finalizer' };
  }
  if (stored === null) return view.hasDomain ? { do: 'create' } : withoutDomain(view);
  if (view.isAbandoned) return { do: 'adopt', id: stored.id, from: stored.managedBy };
  if (!isOurs) return notReady(conflict(stored, resource));
  const change = differenceOf(view, stored);
  return change === null ? upToDate(stored) : { do: 'change', id: stored.id, change };
}

/** Reports the core's message, such as that the domain has a catch-all account already. */
export function accountRefused(_view: AccountView, refusal: Invalid): Report<AccountResource> {
  return notReady(stalled('Refused', refusal.violations.map(({ message }) => message).join('; ')));
}

/** A new Account waits without a warning, since its Domain may come with it. */
function withoutDomain({ resource, isNew }: AccountView): Report<AccountResource> {
  if (!isNew) return notReady(domainMissing(resource));
  const message = `waits for a Domain ${domainOf(resource)} in the namespace ${resource.metadata.namespace}`;
  const findings = waiting('DomainPending', message).map(({ event: _, ...finding }) => finding);
  return { ...notReady(findings), requeueAfterMs: pendingMs };
}

function domainMissing(resource: AccountResource): Finding[] {
  const { namespace } = resource.metadata;
  const message = `${domainOf(resource)} is not a domain of the namespace ${namespace}: make a Domain for it there`;
  return waiting('DomainMissing', message);
}

function conflict({ managedBy, address }: Account, { metadata }: AccountResource): Finding[] {
  if (managedBy === null) {
    return stalled('ManagedByApi', `${address} was made through the API: delete it there, or this Account`);
  }
  return stalled(
    'Duplicate',
    `${address} is the Account ${managedBy} already: delete one of the two, that or ${managerOf(metadata)}`,
  );
}

function differenceOf({ resource: { spec }, storageLimit }: AccountView, stored: Account): Change | null {
  const catchAll = spec.catchAll ?? spec.address.startsWith('*@');
  const capture = spec.capture ?? false;
  const change = {
    ...(spec.active === stored.active ? {} : { active: spec.active }),
    ...(catchAll === stored.catchAll ? {} : { catchAll }),
    ...(capture === stored.capture ? {} : { capture }),
    ...(storageLimit === stored.storageLimit ? {} : { storageLimit }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

function upToDate(account: Account): Report<AccountResource> {
  const { id, mailboxes, usedBytes } = account;
  return {
    do: 'report',
    fields: {
      accountId: id,
      mailboxes: mailboxes.slice(0, maxMailboxes).map(({ path }) => path),
      usedBytes,
    },
    findings: [...readyOf(account), roomOf(account)],
    requeueAfterMs: null,
  };
}

/** A full account is as its spec asks: Ready says that it is there, and Full that it has no room. */
function readyOf(account: Account): Finding[] {
  const { address, active } = account;
  if (!active) return ready('Inactive', `${address} receives no mail, for spec.active is false`);
  return ready('Active', isFull(account) ? `${address} is there, and full` : `${address} receives mail`);
}

function roomOf(account: Account): Finding {
  const { usedBytes, storageLimit } = account;
  if (!isFull(account)) {
    return { type: 'Full', status: 'False', reason: 'HasRoom', message: 'there is room for mail' };
  }
  return {
    ...{ type: 'Full', status: 'True', reason: 'QuotaReached', event: 'Warning' },
    message: `${usedBytes} of ${storageLimit} bytes are used, and mail is refused (552): delete messages, or raise spec.storageLimit`,
  };
}
