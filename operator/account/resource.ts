import { parseAddress } from '#core/accounts/address.ts';
import type { ResourceOf } from '../runtime/resource.ts';

/** Account resource: one mail account. */
export type AccountResource = ResourceOf<
  'Account',
  { address: string; active: boolean; catchAll?: boolean; capture?: boolean; storageLimit: string | number },
  { accountId?: number; mailboxes?: string[]; usedBytes?: number }
>;

/** Domain part of the address. */
export function domainOf({ spec: { address } }: AccountResource): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** Address of the account in the store; null where the spec has none. */
export function nameOf({ spec }: AccountResource): string | null {
  return parseAddress(spec.address)?.address ?? null;
}
