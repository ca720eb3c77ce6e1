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
