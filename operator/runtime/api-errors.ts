import { ApiException } from '@kubernetes/client-node';

/** Returns the HTTP status of the API server's response, or null if the error is not a response. */
export function statusCodeOf(error: unknown): number | null {
  if (error instanceof ApiException) return error.code;
  if (error instanceof Error && 'statusCode' in error) return Number(error.statusCode);
  return null;
}

/** Checks for 403 and 404: the object does not exist, or the caller may not access it. */
export function isRefusedOrGone(error: unknown): boolean {
  const code = statusCodeOf(error);
  return code === 403 || code === 404;
}

/** Converts an error 404 to null. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (statusCodeOf(error) === 404) return null;
    throw error;
  }
}

/** Converts an error 409 to false: the object already exists, or has changed since it was read. */
export async function unlessConflict(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (statusCodeOf(error) === 409) return false;
    throw error;
  }
}

/** Returns the delay in ms that the API server requests before the next attempt (429, 503), up to 30 s. 0 if it requests none. */
export function retryAfterMs(error: unknown): number {
  const seconds = error instanceof ApiException ? Number(error.headers['retry-after'] ?? 0) : 0;
  return Number.isFinite(seconds) ? Math.min(seconds, 30) * 1000 : 0;
}

/** Returns the API server's message without the status code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiException)) return error instanceof Error ? error.message : String(error);
  try {
    return String(JSON.parse(String(error.body)).message);
  } catch {
    return String(error.body).slice(0, 200);
  }
}

/** Describes an error for a log line: the API server's status code and message, or else the error's own message. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiException) return `${error.code}: ${messageOf(error)}`;
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  // The message already quotes the ApiException that is its cause, whose own message contains headers and body.
  return cause instanceof Error && !(cause instanceof ApiException)
    ? `${message}: ${cause.message}`
    : message;
}
