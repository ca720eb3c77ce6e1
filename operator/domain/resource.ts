import { parseDomainName } from '#core/domains/domain-name.ts';
import type { ResourceOf } from '../runtime/resource.ts';

/** Domain resource: one mail domain. */
export type DomainResource = ResourceOf<
  'Domain',
  { domain: string; active: boolean; mxVerified?: boolean },
  {
    domainId?: number;
    verificationStatus?: string;
    lastCheckTime?: string;
    mxRecords?: string[];
    accounts?: number;
  }
>;

/** Name of the domain in the store; null where the spec has none. */
export function nameOf({ spec }: DomainResource): string | null {
  return parseDomainName(spec.domain);
}
