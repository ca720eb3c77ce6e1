import {
  type Account,
  type AccountFlags,
  defaultFlags,
  defaultStorageLimit,
  isFull,
  withDefaults,
} from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import { withoutDomain } from '../missing-domain.ts';
import { decideNamed, differences, type NamedEffect, type NamedView } from '../objects.ts';
import { type CommonStep, type Report, reportOf } from '../reconcile.ts';
import type { DeletionPolicy } from '../retention.ts';
import { type Finding, finding, ready } from '../runtime/conditions.ts';
import type { ResourceOf } from '../runtime/resource.ts';
import { wantedOf } from '../spec.ts';

/** Account resource, which stands for one mail account. */
export type AccountResource = ResourceOf<
  'Account',
  Partial<AccountFlags> & {
    address: string;
    storageLimit?: string | number;
    deletionPolicy?: DeletionPolicy;
  },
  { accountId?: number; mailboxes?: string[]; usedBytes?: number }
>;

/** Domain part of the address. */
export function domainOf({ spec: { address } }: AccountResource): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** Address of the account in the store, or null if the spec contains no valid address. */
export function nameOf({ spec }: AccountResource): string | null {
  return parseAddress(spec.address)?.address ?? null;
}

/**
 * Bytes in a Kubernetes quantity such as 100Mi (apimachinery, resource.Quantity). The schema allows only whole numbers up to 2^53
 * - 1.
 */
export function bytesOf(quantity: string | number): number {
  const [, digits = '', unit = '', binary = ''] = /^([0-9]+)([kKMGTP]?)(i?)$/.exec(String(quantity)) ?? [];
  return Number(digits) * (binary ? 1024 : 1000) ** ['', 'K', 'M', 'G', 'T', 'P'].indexOf(unit.toUpperCase());
}

/**
 * Owner's account that has the resource's address. `hasDomain` is true if the owner has the address's domain. `isNew` is true for some
 * seconds after the resource's creation.
 */
export type AccountView = NamedView<AccountResource, Account> & {
  hasDomain: boolean;
  isNew: boolean;
};

export type AccountEffect = NamedEffect<Partial<AccountFlags & Pick<Account, 'storageLimit'>>>;

/** Maximum number of mailboxes that the status lists. */
const maxMailboxes = 100;

/** Returns the account's wanted values, and the stored values that stay although the spec omits them. */
export function valuesOf(view: AccountView) {
  const { address, storageLimit: limit, deletionPolicy: _, ...flags } = view.resource.spec;
  const said = { ...flags, storageLimit: limit === undefined ? undefined : bytesOf(limit) };
  const defaults = {
    ...defaultFlags,
    catchAll: address.startsWith('*@'),
    storageLimit: defaultStorageLimit,
  };
  return wantedOf(view, said, defaults, view.stored && withDefaults(defaults, view.stored));
}

/** Returns the next step toward an Account's spec. */
export function decideAccount(view: AccountView): CommonStep<AccountResource> | AccountEffect {
  const { wanted, kept } = valuesOf(view);
  return decideNamed(view, {
    nameOf: (stored) => stored.address,
    missing: view.hasDomain
      ? { do: 'create' }
      : withoutDomain(view.resource, domainOf(view.resource), view.isNew),
    changeOf: (stored) => differences(wanted, stored),
    upToDate: (stored) => ({ ...upToDate(stored), isApplied: true, kept }),
  });
}

function upToDate(account: Account): Report<AccountResource> {
  const { id, mailboxes, usedBytes } = account;
  const paths = mailboxes.slice(0, maxMailboxes).map(({ path }) => path);
  return reportOf({ accountId: id, mailboxes: paths, usedBytes }, [...readyOf(account), roomOf(account)]);
}

/** A full account matches its spec: Ready says that the account exists, and Full that it has no space left. */
function readyOf(account: Account): Finding[] {
  const { address, active } = account;
  if (!active) return ready('Inactive', `${address} receives no mail because spec.active is false`);
  return ready('Active', isFull(account) ? `${address} exists but is full` : `${address} receives mail`);
}

function roomOf(account: Account): Finding {
  const { usedBytes, storageLimit } = account;
  if (!isFull(account)) return finding('Full', 'False', 'HasRoom', 'the account is not full');
  const message = `the account uses ${usedBytes} of ${storageLimit} bytes and refuses mail (552): delete messages, or raise spec.storageLimit`;
  return finding('Full', 'True', 'QuotaReached', message, 'Warning');
}
