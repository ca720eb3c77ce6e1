import type { Id } from '#core/ids.ts';

/**
 * State of the checks whether the domain's MX record points here. `refusals` counts consecutive negative answers. The `source` of the
 * status `verified` is `manual` (a team vouched for the domain) or `mx` (DNS confirmed it). Other statuses have no source.
 */
export type Verification = {
  status: 'pending' | 'verified' | 'failed';
  source: 'manual' | 'mx' | null;
  detail: string | null;
  refusals: number;
  checkedAt: Date | null;
  nextCheckAt: Date | null;
};

/**
 * Domain that receives mail. `managedBy` is a Kubernetes resource's `namespace/name`, or null for the API. `assumedClientIp`: address
 * that SPF is checked with at delivery instead of the client's, or null to use the client's.
 */
export type Domain = {
  id: Id;
  owner: Id;
  name: string;
  active: boolean;
  verification: Verification;
  managedBy: string | null;
  assumedClientIp: string | null;
  createdAt: Date;
  updatedAt: Date;
};

export type NewDomain = Pick<Domain, 'active' | 'verification' | 'managedBy' | 'createdAt'> & {
  assumedClientIp?: string | null;
};
export type DomainChange = Partial<Pick<Domain, 'active' | 'verification' | 'managedBy' | 'assumedClientIp'>>;

export type DomainStore = {
  /** Lists domains of all teams other than `except` whose `nextCheckAt` has passed, longest overdue first. */
  dueForCheck(now: Date, limit: number, except?: Id[]): Promise<Domain[]>;
  /** Writes a verdict if `checkedAt` still has the value that the check read, so an answer counts only once. */
  writeVerdict(id: Id, readCheckedAt: Date | null, verdict: Verification): Promise<boolean>;
};

/** Removes soft-deleted rows in the background. If the process dies, upkeep finishes the removal. */
export type Cascade = { begin(): void };
