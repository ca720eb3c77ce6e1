import { parseAddress } from '#core/accounts/address.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { isAbandoned } from '../abandoned.ts';
import { bytesOf } from '../quantity.ts';
import type { ResourceReader } from '../reconcile.ts';
import type { AccountView } from './decide.ts';
import { type AccountResource, nameOf } from './resource.ts';

/** Age up to which an Account may wait for its Domain without a warning: one file may have both, in any order. */
const newMs = 5_000;

type Ports = Pick<Services, 'domains' | 'accounts' | 'clock'>;

/** Reads the account that the owner has under the resource's address, and whether the owner has its domain. */
export async function gatherAccount(
  { domains, accounts, clock }: Ports,
  resources: ResourceReader,
  resource: AccountResource,
  owner: Id | null,
): Promise<AccountView> {
  const { spec, metadata } = resource;
  const isNew = clock().getTime() - Date.parse(metadata.creationTimestamp ?? '') < newMs;
  const storageLimit = bytesOf(spec.storageLimit);
  const parsed = parseAddress(spec.address);
  if (owner === null || parsed === null) {
    // An address that cannot be parsed is passed to the core, whose refusal names the reason.
    return {
      ...{ resource, owner, stored: null, isAbandoned: false },
      ...{ hasDomain: parsed === null, isNew, storageLimit },
    };
  }
  const { address, domain } = parsed;
  const [found, { items }] = await Promise.all([
    domains.findByName(owner, domain),
    accounts.list(owner, { address }, { page: 1, limit: 1 }),
  ]);
  const stored = items[0] ?? null;
  const abandoned = await isAbandoned(resources, resource, stored, (other) => nameOf(other) === address);
  return {
    ...{ resource, owner, stored, isAbandoned: abandoned },
    ...{ hasDomain: found !== null, isNew, storageLimit },
  };
}
