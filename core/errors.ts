import { type LimitName, limits } from './limits.ts';

/** Field of a request and its fault, described in words for people. */
export type Violation = { field: string; message: string };

/** Error for an object that does not exist or does not belong to the caller. It does not reveal which is the case. */
export class NotFound extends Error {
  override name = 'NotFound';
}

/** Returns a value that was looked for. Throws NotFound if there is none. */
export function found<T>(value: T | null | undefined): T {
  if (value == null) throw new NotFound();
  return value;
}

/** Error for input that cannot be parsed. */
export class Malformed extends Error {
  override name = 'Malformed';
}

/** Error for an unacceptable value in a well-formed request. Keeps only the first violations. */
export class Invalid extends Error {
  override name = 'Invalid';
  readonly violations: Violation[];
  /** Limits that the request exceeds. */
  readonly limits: LimitName[];
  constructor(violations: Violation[], reached: LimitName[] = []) {
    const kept = violations.slice(0, limits.http.violations);
    super(kept.map((violation) => `${violation.field}: ${violation.message}`).join('; '));
    this.violations = kept;
    this.limits = kept.length < violations.length ? [...reached, 'http.violations'] : reached;
  }
}

/** Error for a name that is already in use, perhaps by another user. */
export class Taken extends Invalid {
  override name = 'Taken';
}

/** Error for a caller without a valid credential. */
export class Unauthenticated extends Error {
  override name = 'Unauthenticated';
}

/** Error for a call that the caller's role in the team does not allow. */
export class ForbiddenRole extends Error {
  override name = 'ForbiddenRole';
}

/** Error for a call that the API key's scope does not allow. */
export class InsufficientScope extends Error {
  override name = 'InsufficientScope';
}

/** Error for somebody who may not sign in, or not in this way. The error message is a sentence for that person. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';
}

/** Error for an outbound request if the settings allow none. */
export class OutboundDisabled extends Error {
  override name = 'OutboundDisabled';
}

export class SharesForbidden extends Error {
  override name = 'SharesForbidden';
}

/** Error for an identity provider that cannot be reached or gives no usable answer. A later attempt may succeed. */
export class IdentityProviderDown extends Error {
  override name = 'IdentityProviderDown';
}

/** Error for too many calls. Another call will be accepted after `retryAfterMs`. */
export class TooMany extends Error {
  override name = 'TooMany';
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Error for a user with the maximum number of waiting requests. */
export class TooManyWaits extends TooMany {
  override name = 'TooManyWaits';
}

/** Error for a user with the maximum number of concurrent searches. */
export class TooManySearches extends TooMany {
  override name = 'TooManySearches';
}

/** Error for a value that must be unique in a store but is already in use. */
export class Duplicate extends Error {
  override name = 'Duplicate';
}

/** Error for a store that cannot be reached or cannot write now. A later attempt may succeed. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** Error for a store whose disk is full. Reads still work, and writes will work again once there is space. */
export class StoreFull extends StoreUnavailable {
  override name = 'StoreFull';
}

/** Error for a search that took too long. */
export class SearchTimeout extends Error {
  override name = 'SearchTimeout';
}

/** Error for too much concurrent work of one kind, or for a single task that was too large. A later attempt may succeed. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

/** Maximum number of an owner's items, and the field of the request that adds another item. If `most` is absent, there is no limit. */
export type Quota = { field: string; limit: LimitName; things: string; most: number | undefined };

/** Checks that a quota allows one item in addition to `count`. Throws Invalid. */
export function requireRoom(count: number, { field, limit, things, most }: Quota): void {
  if (most !== undefined && count >= most)
    throw invalid(field, `the limit of ${most} ${things} has been reached`, limit);
}

/** Returns the result of a store's write, or null if a value that must be unique is already in use. */
export function unlessTaken<T>(written: Promise<T>): Promise<T | null> {
  return written.catch((error) => {
    if (error instanceof Duplicate) return null;
    throw error;
  });
}

/** Returns an operation's result, or null if something that the operation needs does not exist. */
export function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
}

/** Creates an error with one violation and, if a limit was reached, the limit. */
export function invalid(field: string, message: string, ...reached: LimitName[]): Invalid {
  return new Invalid([{ field, message }], reached);
}

/** Refuses a change by anyone other than the object's manager: a Kubernetes resource, or the API (null). Throws Invalid. */
export function refuseForeignManager(
  managedBy: string | null,
  manager: string | null | undefined,
  field: string,
): void {
  if (manager === undefined || managedBy === manager) return;
  const holder = managedBy === null ? 'the API' : `the Kubernetes resource ${managedBy}; change it there`;
  throw invalid(field, `is managed by ${holder}`);
}
