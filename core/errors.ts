import { type LimitName, limits } from './limits.ts';

/** Field of a request and its fault, for a person. */
export type Violation = { field: string; message: string };

/** Error for an object that does not exist or is not the caller's. The two are never distinguished. */
export class NotFound extends Error {
  override name = 'NotFound';
}

/** Error for input that cannot be read at all. */
export class Malformed extends Error {
  override name = 'Malformed';
}

/** Error for a value that cannot be accepted, in a well-formed request. Keeps the first violations. */
export class Invalid extends Error {
  override name = 'Invalid';
  readonly violations: Violation[];
  /** Limits that were reached. */
  readonly limits: LimitName[];
  constructor(violations: Violation[], reached: LimitName[] = []) {
    const kept = violations.slice(0, limits.http.violations);
    super(kept.map((violation) => `${violation.field}: ${violation.message}`).join('; '));
    this.violations = kept;
    this.limits = kept.length < violations.length ? [...reached, 'http.violations'] : reached;
  }
}

/** Error for a name that is in use already, possibly by another user. */
export class Taken extends Invalid {
  override name = 'Taken';
}

/** Error for a caller without a credential, or with a wrong one. */
export class Unauthenticated extends Error {
  override name = 'Unauthenticated';
}

/** Error for a call that the caller's role in the team does not allow. */
export class ForbiddenRole extends Error {
  override name = 'ForbiddenRole';
}

/** Error for a call that the scope of an API key does not allow. */
export class InsufficientScope extends Error {
  override name = 'InsufficientScope';
}

/** Error for somebody who may not sign in, or not in this way. The message is a sentence for them. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';
}

/** Error for a request to the outside, where the settings allow none. */
export class OutboundDisabled extends Error {
  override name = 'OutboundDisabled';
}

/** Error for a share link in a team that forbids them. */
export class SharesForbidden extends Error {
  override name = 'SharesForbidden';
}

/** Error of an identity provider that cannot be reached or gives no answer that can be used. A later try may succeed. */
export class IdentityProviderDown extends Error {
  override name = 'IdentityProviderDown';
}

/** Error for too many calls. A call will be accepted again after `retryAfterMs`. */
export class TooMany extends Error {
  override name = 'TooMany';
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Error for a user with the largest number of requests that wait. */
export class TooManyWaits extends TooMany {
  override name = 'TooManyWaits';
}

/** Error for a user with the largest number of searches under way. */
export class TooManySearches extends TooMany {
  override name = 'TooManySearches';
}

/** Error of a store for a value that must be unique and is in use. */
export class Duplicate extends Error {
  override name = 'Duplicate';
}

/** Error of a store that cannot be reached or cannot write now. A later try may succeed. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** Error of a store whose disk is full. Reads work, and writes will work once there is room again. */
export class StoreFull extends StoreUnavailable {
  override name = 'StoreFull';
}

/** Error for a search that took too long. */
export class SearchTimeout extends Error {
  override name = 'SearchTimeout';
}

/** Error for too much work of one kind under way, or for one piece of work that was too large. A later try may succeed. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

/** Maximum of some things of one owner, and the field of a request that asks for one more. Without `most` there is no limit. */
export type Quota = { field: string; limit: LimitName; things: string; most: number | undefined };

/** Requires room for one more of the things that a quota counts, of which there are `count`. Throws Invalid. */
export function requireRoom(count: number, { field, limit, things, most }: Quota): void {
  if (most !== undefined && count >= most)
    throw invalid(field, `the limit of ${most} ${things} has been reached`, limit);
}

/** Returns the result of a store's write, or null where a value is in use that must be unique. */
export function unlessTaken<T>(written: Promise<T>): Promise<T | null> {
  return written.catch((error) => {
    if (error instanceof Duplicate) return null;
    throw error;
  });
}

/** Returns a result, or null where something that it needs does not exist or is gone. */
export function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
}

/** Creates an error of one violation, with the limit that was reached, if one was. */
export function invalid(field: string, message: string, ...reached: LimitName[]): Invalid {
  return new Invalid([{ field, message }], reached);
}

/** Refuses a change by another manager than that of a thing: a Kubernetes resource, or the API (null). Throws Invalid. */
export function refuseForeignManager(
  managedBy: string | null,
  manager: string | null | undefined,
  field: string,
): void {
  if (manager === undefined || managedBy === manager) return;
  const holder = managedBy === null ? 'the API' : `the Kubernetes resource ${managedBy}; change it there`;
  throw invalid(field, `is managed by ${holder}`);
}
