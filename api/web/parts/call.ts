import { ApiError, request } from '../client/request.ts';
import type { Problem } from '../client/shapes.ts';

/** Call of the REST API, to be made and to be shown. */
export type Call = { method: 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object };

/**
 * Makes a call and passes its answer to `done`. Returns the problem of either, so that the caller can show it, or null.
 */
export async function attempt<T>(
  { method, path, body }: Call,
  done: (answer: T) => unknown,
): Promise<Problem | null> {
  try {
    await done(await request<T>(method, path, body));
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

/** Returns the problem of an ApiError. Throws any other error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  throw error;
}
