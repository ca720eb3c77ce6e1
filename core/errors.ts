import { type LimitName, limits } from './limits.ts';

/** One field of a request and what is wrong with it, for a person. */
export type Violation = { field: string; message: string };

/** What was asked for is not there, or not the caller's: the two are never told apart. */
export class NotFound extends Error {
  override name = 'NotFound';
}

/** Input that cannot be read at all. */
export class Malformed extends Error {
  override name = 'Malformed';
}

/** A value that cannot be taken, however well-formed the request was. Only the first violations are kept. */
export class Invalid extends Error {
  override name = 'Invalid';
  readonly violations: Violation[];
  /** The limits that were reached. */
  readonly limits: LimitName[];
  constructor(violations: Violation[], reached: LimitName[] = []) {
    const kept = violations.slice(0, limits.http.violations);
    super(kept.map((violation) => `${violation.field}: ${violation.message}`).join('; '));
    this.violations = kept;
    this.limits = kept.length < violations.length ? [...reached, 'http.violations'] : reached;
  }
}

/** A name that is in use already, possibly by somebody else. */
export class Taken extends Invalid {
  override name = 'Taken';
}

/** Nobody known is calling: no credential, or a wrong one. */
export class Unauthenticated extends Error {
  override name = 'Unauthenticated';
}

/** Too many calls; `retryAfterMs` is when one will pass again. */
export class TooMany extends Error {
  override name = 'TooMany';
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The user has as many requests that wait as they may have. */
export class TooManyWaits extends TooMany {
  override name = 'TooManyWaits';
}

/** A user has as many searches under way as one may. */
export class TooManySearches extends TooMany {
  override name = 'TooManySearches';
}

/** A store did not write what would be more than `most`; use-cases make it Invalid. */
export class OverQuota extends Error {
  override name = 'OverQuota';
}

/** The store cannot be reached or cannot write now; trying again later may work. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The store's disk is full: reading works, writing will again once there is room. */
export class StoreFull extends StoreUnavailable {
  override name = 'StoreFull';
}

/** A search took longer than it may. */
export class SearchTimeout extends Error {
  override name = 'SearchTimeout';
}

/** Too much work of this kind is under way, or one piece of it was too much; trying again later may work. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

type Quota = { limit: LimitName; most: number; things: string };

/** Gives what a store wrote. Throws Invalid where that would be more than `most` of the owner's. */
export function withinQuota<T>(
  written: Promise<T>,
  field: string,
  { limit, most, things }: Quota,
): Promise<T> {
  return written.catch((error) => {
    if (error instanceof OverQuota)
      throw invalid(field, `there are ${most} ${things} already, which is the limit`, limit);
    throw error;
  });
}

/** Shorthand for one violation, and the limit that was reached, if one was. */
export function invalid(field: string, message: string, ...reached: LimitName[]): Invalid {
  return new Invalid([{ field, message }], reached);
}

/** What a Kubernetes resource made, only that resource changes; what the API made, only the API. Throws Invalid. */
export function refuseForeignManager(managedBy: string | null, manager: string | null, field: string): void {
  if (managedBy === manager) return;
  const holder = managedBy === null ? 'the API' : `the Kubernetes resource ${managedBy}; change it there`;
  throw invalid(field, `is managed by ${holder}`);
}
