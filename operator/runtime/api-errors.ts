import { ApiException } from '@kubernetes/client-node';

/** HTTP status of the API server's response, or null for another kind of error. */
export function statusCodeOf(error: unknown): number | null {
  if (error instanceof ApiException) return error.code;
  if (error instanceof Error && 'statusCode' in error) return Number(error.statusCode);
  return null;
}

/** True for 403 and 404: the object does not exist, or the caller has no permission for it. */
export function isRefusedOrGone(error: unknown): boolean {
  const code = statusCodeOf(error);
  return code === 403 || code === 404;
}

/** Converts 404 to null. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (statusCodeOf(error) === 404) return null;
    throw error;
  }
}

/** Converts 409 to false: the object already exists, or has changed since it was read. */
export async function unlessConflict(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (statusCodeOf(error) === 409) return false;
    throw error;
  }
}

/** Delay in ms that the API server requests before the next attempt (429, 503), up to 30 s, or 0. */
export function retryAfterMs(error: unknown): number {
  const seconds = error instanceof ApiException ? Number(error.headers['retry-after'] ?? 0) : 0;
  return Number.isFinite(seconds) ? Math.min(seconds, 30) * 1000 : 0;
}

/** Message of the API server without the status code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiException)) return error instanceof Error ? error.message : String(error);
  try {
    return String(JSON.parse(String(error.body)).message);
  } catch {
    return String(error.body).slice(0, 200);
  }
}

/** Log line for an error: the API server's status code and message, or the error's own message. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiException) return `${error.code}: ${messageOf(error)}`;
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  // The message already quotes an ApiException as cause, and the cause's own message contains headers and body.
  return cause instanceof Error && !(cause instanceof ApiException)
    ? `${message}: ${cause.message}`
    : message;
}
