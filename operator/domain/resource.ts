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
