import { hash } from 'node:crypto';
import type { ApiKey } from '#core/access/access.ts';
import { type Account, isFull } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import { withoutDomain } from '../missing-domain.ts';
import {
  type CommonStep,
  finalizerStep,
  notReady,
  type Report,
  recheckMs,
  reportOf,
  type View,
} from '../reconcile.ts';
import { isComplete, type KeyEffect, writeOrRepair } from '../repairs.ts';
import { type Finding, ready } from '../runtime/conditions.ts';
import { isDeleted, type ResourceOf } from '../runtime/resource.ts';
import { type KeyState, secretExists, secretNameOf, standardEntries } from '../secret-keys.ts';
import { keyEntry } from '../secrets.ts';
import { codesOf, linkOf } from '../shown-mail.ts';

/**
 * Inbox resource, which stands for an account with its own address, a key that can read only this account, and the Secret that contains
 * both.
 */
export type InboxResource = ResourceOf<
  'Inbox',
  { domain: string; addressPrefix?: string; secretName?: string },
  {
    address?: string;
    accountId?: number;
    tokenId?: number;
    secretName?: string;
    code?: string;
    link?: string;
  }
>;

/**
 * `domain` is the namespace's domain that the spec names, or null. `account` is the Inbox's own account. `isMarked` is true if the
 * account has a mark that keeps earlier releases from removing the account. `found` are the account's newest messages.
 */
export type InboxView = View<InboxResource> &
  KeyState & {
    domain: Pick<Domain, 'name' | 'active'> | null;
    account: Account | null;
    isMarked: boolean;
    found: Pick<MessageSummary, 'code' | 'mainLink'>[];
    isNew: boolean;
  };

export type InboxEffect =
  | Exclude<KeyEffect, { do: 'inherit-secret' }>
  | { do: 'create-account'; address: string }
  | { do: 'mark-account'; id: number }
  | { do: 'delete-account'; id: number }
  | { do: 'store-key'; accountId: number };

/** Name of the Secret's entry that contains the address. */
const addressEntry = 'SANDPOST_ADDRESS';

const defaultPrefix = 'inbox';
/** Number of hexadecimal digits that make an address unguessable: 96 bits. */
const digits = 24;

/**
 * Returns the local part of the address. It is derived from the UID, so an operator that restarts after being killed does not create a
 * second account. The API server chooses UIDs at random, and an Inbox's UID is visible only to people who may also read the address.
 */
export function localPartOf({ spec, metadata }: InboxResource): string {
  const random = hash('sha256', `sandpost inbox ${metadata.uid}`, 'hex').slice(0, digits);
  return `${spec.addressPrefix ?? defaultPrefix}-${random}`.toLowerCase();
}

export function addressOf(resource: InboxResource, domain: string): string {
  return `${localPartOf(resource)}@${domain}`;
}

/** Returns the wanted entries of an Inbox's Secret. */
export function entriesOf({ addresses }: InboxView, key: string, address: string): Record<string, string> {
  return { ...standardEntries(addresses, key), [addressEntry]: address };
}

/**
 * Returns the next step toward an Inbox's spec. First the Secret is written, then the account is created, and then the key is stored from
 * the Secret. A key that is in no Secret, or that can read another account, is revoked.
 */
export function decideInbox(view: InboxView): CommonStep<InboxResource> | InboxEffect {
  const step = stepOf(view);
  const { resource, domain, account } = view;
  const { tokenId } = resource.status ?? {};
  if (step.do !== 'wait' || domain === null || account === null || tokenId === undefined) return step;
  // The status shows new mail even while a Secret is waiting for its repair.
  return upToDate(view, domain, account, tokenId, step.ms);
}

function stepOf(view: InboxView): CommonStep<InboxResource> | InboxEffect {
  const { resource, secret, keyInSecret, storedKeys, domain, account } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const ours = secret?.isOurs ? secret : null;
  const current = ours === null || ours.isInherited ? null : currentKey(view);
  const stale = storedKeys.find((key) => isDeleted(resource) || key !== current);
  if (stale !== undefined) return { do: 'revoke-key', id: stale.id };
  if (isDeleted(resource)) {
    if (account !== null) return { do: 'delete-account', id: account.id };
    return ours === null ? { do: 'remove-finalizer' } : { do: 'remove-secret' };
  }
  if (secret !== null && ours === null) return withAccount(view, notReady(secretExists(resource)));
  if (domain === null) return withAccount(view, withoutDomain(resource, resource.spec.domain, view.isNew));
  // Secret of an earlier Inbox with the same name, which contains a different address.
  if (ours?.isInherited) return { do: 'remove-secret' };
  if (ours === null || keyInSecret === 'malformed' || keyInSecret === 'foreign') {
    return writeOrRepair(view, 'new', {});
  }
  const address = addressOf(resource, domain.name);
  if (account === null) return { do: 'create-account', address };
  if (!view.isMarked) return { do: 'mark-account', id: account.id };
  if (current === null) return { do: 'store-key', accountId: account.id };
  const entries = entriesOf(view, ours.data[keyEntry] ?? '', address);
  if (!isComplete(view, ours, entries)) return writeOrRepair(view, 'same', entries);
  const names = ours.written.filter((name) => !(name in entries));
  return names.length > 0 ? { do: 'remove-entries', names } : upToDate(view, domain, account, current.id);
}

/** Adds the account to a report. While the domain is missing, the Inbox finds its account through the report. */
export function withAccount({ account }: InboxView, report: Report<InboxResource>): Report<InboxResource> {
  if (account === null) return report;
  return { ...report, fields: { address: account.address, accountId: account.id } };
}

/** Returns the stored key whose value is in the Secret, provided that it can read only this account. */
function currentKey({ storedKeys, keyInSecret, account }: InboxView): ApiKey | null {
  if (typeof keyInSecret !== 'object') return null;
  const key = storedKeys.find(({ id }) => id === keyInSecret.id);
  const [only, ...others] = key?.accountIds ?? [];
  return key !== undefined && only === account?.id && others.length === 0 ? key : null;
}

function upToDate(
  { resource, found }: InboxView,
  domain: Pick<Domain, 'name' | 'active'>,
  account: Account,
  tokenId: number,
  requeueAfterMs = recheckMs,
): Report<InboxResource> {
  const { id, address } = account;
  const secretName = secretNameOf(resource);
  const [code] = codesOf(found);
  const fields = { address, accountId: id, tokenId, secretName, ...(code !== undefined && { code }) };
  return reportOf({ ...fields, ...linkOf(found) }, readyOf(domain, account, secretName), requeueAfterMs);
}

/** Findings of a complete Inbox. The reason says whether its account receives mail. */
function readyOf(domain: Pick<Domain, 'name' | 'active'>, account: Account, secretName: string): Finding[] {
  const { address } = account;
  if (!domain.active)
    return ready('Inactive', `${address} receives no mail because ${domain.name} is inactive`);
  if (!isFull(account)) {
    return ready('Active', `${address} receives mail, and the Secret ${secretName} contains its key`);
  }
  const message = `${address} is full and refuses mail (552): delete messages, or create another Inbox`;
  return ready('Full', message);
}
