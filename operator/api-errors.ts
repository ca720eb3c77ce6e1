import { ApiException } from '@kubernetes/client-node';

/** The HTTP status that the API server answered with, or null for an error of another sort. */
export function statusCodeOf(error: unknown): number | null {
  if (error instanceof ApiException) return error.code;
  if (error instanceof Error && 'statusCode' in error) return Number(error.statusCode);
  return null;
}

/** Whether the API server has no such thing, or gives this caller no right to it. */
export function isRefusedOrGone(error: unknown): boolean {
  const code = statusCodeOf(error);
  return code === 403 || code === 404;
}

/** The value, or null where the API server has no such thing. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (statusCodeOf(error) === 404) return null;
    throw error;
  }
}

/** False where the thing exists already, or has changed since it was read; true when it was done. */
export async function unlessConflict(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (statusCodeOf(error) === 409) return false;
    throw error;
  }
}

/** How long the API server asks to be left alone (429, 503), ms, or 0. */
export function retryAfterMs(error: unknown): number {
  const seconds = error instanceof ApiException ? Number(error.headers['retry-after'] ?? 0) : 0;
  return Number.isFinite(seconds) ? Math.min(seconds, 30) * 1000 : 0;
}

/** The API server's own words, without the code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiException)) return error instanceof Error ? error.message : String(error);
  try {
    return String(JSON.parse(String(error.body)).message);
  } catch {
    return String(error.body).slice(0, 200);
  }
}

/** The error in one line: the server's own words where it has some. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiException) return `${error.code}: ${messageOf(error)}`;
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  // An ApiException as cause has been quoted; its own message holds headers and body.
  return cause instanceof Error && !(cause instanceof ApiException)
    ? `${message}: ${cause.message}`
    : message;
}
