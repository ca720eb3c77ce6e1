import { ApiError, request } from '../client/request.ts';
import type { Problem } from '../client/shapes.ts';

/** One call of the REST API, as it is made and as it is shown. */
export type Call = { method: 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object };

/**
 * Makes a call, and what is `done` with its answer. A problem of either is given back rather than thrown, for the place
 * that asked to tell it; null: there is none.
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

/** The problem that an error stands for. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  throw error;
}
