import { ApiException } from '@kubernetes/client-node';

/** HTTP status of the API server's answer; null for an error of another sort. */
export function statusCodeOf(error: unknown): number | null {
  if (error instanceof ApiException) return error.code;
  if (error instanceof Error && 'statusCode' in error) return Number(error.statusCode);
  return null;
}

/** True for 403 and 404: the object does not exist, or the caller has no right to it. */
export function isRefusedOrGone(error: unknown): boolean {
  const code = statusCodeOf(error);
  return code === 403 || code === 404;
}

/** Turns 404 into null. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (statusCodeOf(error) === 404) return null;
    throw error;
  }
}

/** Turns 409 into false: the object exists already, or has changed since it was read. */
export async function unlessConflict(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (statusCodeOf(error) === 409) return false;
    throw error;
  }
}

/** Delay that the API server demands before the next try (429, 503), ms, at most 30 s; 0 without a demand. */
export function retryAfterMs(error: unknown): number {
  const seconds = error instanceof ApiException ? Number(error.headers['retry-after'] ?? 0) : 0;
  return Number.isFinite(seconds) ? Math.min(seconds, 30) * 1000 : 0;
}

/** Message of the API server, without the status code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiException)) return error instanceof Error ? error.message : String(error);
  try {
    return String(JSON.parse(String(error.body)).message);
  } catch {
    return String(error.body).slice(0, 200);
  }
}

/** One line for a log: status code and message of the API server, or the error's own message. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiException) return `${error.code}: ${messageOf(error)}`;
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  // An ApiException as cause is quoted in the message already; its own message has headers and body in it.
  return cause instanceof Error && !(cause instanceof ApiException)
    ? `${message}: ${cause.message}`
    : message;
}
