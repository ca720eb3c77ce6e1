import { NotFound, StoreUnavailable } from '#core/errors.ts';
import { messageOf, statusCodeOf } from './api-errors.ts';
import { NotLeading } from './reconcile.ts';
import { SecretRefused } from './secrets.ts';

/** A failed look at a resource, in the words of a condition. */
export type Failure = {
  reason: string;
  message: string;
  /** True where the next try may succeed by itself: a status that is up to date stays as it is. */
  isPassing: boolean;
};

/** The longest message that a condition takes over from the API server. */
const messageLength = 1024;

/** What the conditions are to say of an error; null for a race, which the next look settles. */
export function failureOf(error: unknown): Failure | null {
  const code = statusCodeOf(error);
  if (error instanceof NotLeading || error instanceof NotFound || code === 404 || code === 409) return null;
  if (error instanceof StoreUnavailable) {
    return passing('StoreUnavailable', 'the store of Sandpost cannot be reached; it is tried again');
  }
  if (error instanceof SecretRefused) return lasting('SecretRefused', error.message);
  if (code !== null && isRefusal(code)) {
    return lasting('ResourceRefused', `the API server refuses to change this resource: ${messageOf(error)}`);
  }
  if (code !== null || isConnectionError(error)) {
    return passing('ApiServerUnavailable', 'the Kubernetes API cannot be used now; it is tried again');
  }
  return lasting('InternalError', 'the operator failed unexpectedly and tries again; its log says why');
}

/** Whether the API server understood a request and did not want it, as quotas, admission and validation do. */
function isRefusal(code: number): boolean {
  return code === 400 || code === 403 || code === 413 || code === 422;
}

/** Whether a call ended without an answer: `fetch` throws a TypeError, an AbortSignal a TimeoutError or AbortError. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const hasCause = error instanceof TypeError && error.cause instanceof Error;
  return hasCause || ['TimeoutError', 'AbortError'].includes(error.name);
}

const passing = (reason: string, message: string): Failure => ({ reason, message, isPassing: true });
const lasting = (reason: string, message: string): Failure => ({
  reason,
  message: message.slice(0, messageLength),
  isPassing: false,
});
