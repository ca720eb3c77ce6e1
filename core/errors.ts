/** One field of a request and what is wrong with it, for a person. */
export type Violation = { field: string; message: string };

/** What was asked for is not there, or not the caller's: the two are never told apart. */
export class NotFound extends Error {
  override name = 'NotFound';
}

/** A value that cannot be taken, however well-formed the request was. */
export class Invalid extends Error {
  override name = 'Invalid';
  readonly violations: Violation[];
  constructor(violations: Violation[]) {
    super(violations.map((violation) => `${violation.field}: ${violation.message}`).join('; '));
    this.violations = violations;
  }
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

/** Shorthand for one violation. */
export function invalid(field: string, message: string): Invalid {
  return new Invalid([{ field, message }]);
}

/** What a Kubernetes resource made, only that resource changes; what the API made, only the API. Throws Invalid. */
export function refuseForeignManager(managedBy: string | null, manager: string | null, field: string): void {
  if (managedBy === manager) return;
  const holder = managedBy === null ? 'the API' : `the Kubernetes resource ${managedBy}; change it there`;
  throw invalid(field, `is managed by ${holder}`);
}
