import { NotFound, StoreUnavailable } from '#core/errors.ts';
import { type Failure, failureOf as runtimeFailureOf, transient } from './runtime/failures.ts';

/** Failure that the conditions show for an error of the core or the API server; null for a race. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof NotFound) return null;
  if (error instanceof StoreUnavailable) {
    return transient('StoreUnavailable', 'the store of Sandpost cannot be reached; it is tried again');
  }
  return runtimeFailureOf(error);
}

/** Swallows NotFound: an object that is gone already counts as removed. */
export function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
