import { messageOf, statusCodeOf } from './api-errors.ts';

/** Failed reconciliation, in the terms of a condition. */
export type Failure = {
  reason: string;
  message: string;
  /** True if the next attempt may succeed without any change. A status that is up to date then stays unchanged. */
  isTransient: boolean;
};

/** Error whose reason and message appear in the conditions unchanged. */
export class ReportedError extends Error {
  override name = 'ReportedError';
  readonly reason: string;
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Ends the work of a process that is no longer the leader. */
export class NotLeading extends Error {
  override name = 'NotLeading';
}

/** Maximum length in characters of an API server message that a condition shows. */
const messageLength = 1024;

/**
 * Returns the failure that the conditions show for an error, or null if the error results from a race, which the next reconciliation
 * resolves.
 */
export function failureOf(error: unknown): Failure | null {
  const code = statusCodeOf(error);
  if (error instanceof NotLeading || code === 404 || code === 409) return null;
  if (error instanceof ReportedError) return lasting(error.reason, error.message);
  if (code !== null && isRefusal(code)) {
    return lasting('ResourceRefused', `the API server refused to change this resource: ${messageOf(error)}`);
  }
  if (code !== null || isConnectionError(error)) {
    return transient('ApiServerUnavailable', 'the Kubernetes API is unavailable; the operator is retrying');
  }
  return lasting('InternalError', 'the operator failed unexpectedly and is retrying; see its log');
}

/** Checks whether the API server rejected a request because of a quota, an admission policy or validation. */
function isRefusal(code: number): boolean {
  return code === 400 || code === 403 || code === 413 || code === 422;
}

/** Checks for a call that got no response: `fetch` throws a TypeError, and an AbortSignal a TimeoutError or AbortError. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const hasCause = error instanceof TypeError && error.cause instanceof Error;
  return hasCause || ['TimeoutError', 'AbortError'].includes(error.name);
}

export function transient(reason: string, message: string): Failure {
  return { reason, message, isTransient: true };
}

function lasting(reason: string, message: string): Failure {
  return { reason, message: message.slice(0, messageLength), isTransient: false };
}
