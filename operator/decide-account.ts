import type { Account } from '#core/accounts/account.ts';
import type { Invalid } from '#core/errors.ts';
import { type Finding, ready, stalled, waiting } from './conditions.ts';
import { type CommonStep, lookAgainMs, type Report } from './reconcile.ts';
import { type AccountResource, isDeleted, isHeld, managerOf } from './resources.ts';

/** An Account, the account that the store has under its address, and whether its namespace has the domain. */
export type AccountView = {
  resource: AccountResource;
  stored: Account | null;
  hasDomain: boolean;
  storageLimit: number;
};

type Change = { active?: boolean; catchAll?: boolean; storageLimit?: number };

export type AccountEffect =
  | { do: 'create' }
  | { do: 'change'; id: number; change: Change }
  | { do: 'delete'; id: number };

const mostMailboxes = 100;

/** The next step towards what an Account wants. */
export function decideAccount(view: AccountView): CommonStep<AccountResource> | AccountEffect {
  const { resource, stored } = view;
  const isOurs = stored?.managedBy === managerOf(resource.metadata);
  if (isDeleted(resource)) {
    if (!isHeld(resource)) return { do: 'nothing' };
    return stored && isOurs ? { do: 'delete', id: stored.id } : { do: 'release' };
  }
  if (!isHeld(resource)) return { do: 'hold' };
  if (stored === null) return view.hasDomain ? { do: 'create' } : told(domainMissing(resource));
  if (!isOurs) return told(stalledBy(stored, resource));
  const change = difference(view, stored);
  return change === null ? settled(stored) : { do: 'change', id: stored.id, change };
}

/** The core takes it not: another catch-all account has the place, for one. */
export function accountRefused(_view: AccountView, refusal: Invalid): Report<AccountResource> {
  return told(stalled('Refused', refusal.violations.map(({ message }) => message).join('; ')));
}

function domainMissing({ spec, metadata }: AccountResource): Finding[] {
  const name = spec.address.slice(spec.address.lastIndexOf('@') + 1);
  const message = `${name} is not a domain of the namespace ${metadata.namespace}: make a Domain for it there`;
  return waiting('DomainMissing', message);
}

function stalledBy({ managedBy, address }: Account, { metadata }: AccountResource): Finding[] {
  if (managedBy === null) {
    return stalled('ManagedByApi', `${address} was made through the API: delete it there, or this Account`);
  }
  return stalled(
    'Duplicate',
    `${address} is the Account ${managedBy} already: delete one of the two, that or ${managerOf(metadata)}`,
  );
}

function difference({ resource: { spec }, storageLimit }: AccountView, stored: Account): Change | null {
  const catchAll = spec.catchAll ?? spec.address.startsWith('*@');
  const change = {
    ...(spec.active === stored.active ? {} : { active: spec.active }),
    ...(catchAll === stored.catchAll ? {} : { catchAll }),
    ...(storageLimit === stored.storageLimit ? {} : { storageLimit }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

function settled({ id, address, active, mailboxes, usedBytes }: Account): Report<AccountResource> {
  return {
    do: 'report',
    fields: {
      accountId: id,
      mailboxes: mailboxes.slice(0, mostMailboxes).map(({ path }) => path),
      usedBytes,
    },
    findings: active
      ? ready('Active', `${address} receives mail`)
      : ready('Inactive', `${address} receives no mail, for spec.active is false`),
    againMs: null,
  };
}

function told(findings: Finding[]): Report<AccountResource> {
  return { do: 'report', fields: {}, findings, againMs: lookAgainMs };
}
