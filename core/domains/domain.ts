import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

/**
 * Whether mail for the domain finds its way here. `refusals` counts definite noes in a row;
 * `verified` has source `manual` (someone said so) or `mx` (the DNS did), the others have null.
 */
export type Verification = {
  status: 'pending' | 'verified' | 'failed';
  source: 'manual' | 'mx' | null;
  detail: string | null;
  refusals: number;
  checkedAt: Date | null;
  nextCheckAt: Date | null;
};

/** A domain that mail is received for. `managedBy` is `namespace/name` of a Kubernetes resource, or null for the API. */
export type Domain = {
  id: Id;
  owner: Id;
  name: string;
  active: boolean;
  verification: Verification;
  managedBy: string | null;
  createdAt: Date;
  updatedAt: Date;
};

export type NewDomain = Pick<Domain, 'name' | 'active' | 'verification' | 'managedBy' | 'createdAt'>;
export type DomainChange = Partial<Pick<Domain, 'active' | 'verification'>>;

export type DomainStore = {
  /**
   * Null where a living domain, anybody's, has the name; `overlaps` where one of another owner lies above or below. Throws
   * OverQuota where the owner has `most`.
   */
  insert(owner: Id, domain: NewDomain, most?: number): Promise<Domain | 'overlaps' | null>;
  /** Oldest first. */
  list(owner: Id, filter: { name?: string; active?: boolean }, page: Page): Promise<Slice<Domain>>;
  /** Those of all users that Kubernetes resources manage. */
  listManaged(): Promise<Domain[]>;
  find(owner: Id, id: Id): Promise<Domain | null>;
  findByName(owner: Id, name: string): Promise<Domain | null>;
  /** Tells whether nobody has the name, and nobody but the owner one above or below it. */
  isFree(owner: Id, name: string): Promise<boolean>;
  update(owner: Id, id: Id, change: DomainChange, now: Date): Promise<Domain | null>;
  /** Makes the domain, its accounts and mailboxes invisible at once; `clearBuried` of the messages removes them. */
  bury(owner: Id, id: Id, now: Date): Promise<boolean>;
  /** Domains, of all users but `except`, whose `nextCheckAt` has come, the longest due first. */
  dueForCheck(now: Date, limit: number, except?: Id[]): Promise<Domain[]>;
  /** Writes a verdict if `checkedAt` still is what the checker read, so that one answer counts once. */
  writeVerdict(id: Id, readCheckedAt: Date | null, verdict: Verification): Promise<boolean>;
};
