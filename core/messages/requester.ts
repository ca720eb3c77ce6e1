import type { Id } from '#core/ids.ts';

/** User whose work waits for its turn, and the request's signal. If the request is aborted, its work is dropped. */
export type Requester = { user: Id; signal: AbortSignal };

/**
 * Job in a separate thread. Users take turns, and `prepare` creates the job's arguments only at the user's turn, so each user has one
 * email in memory. Without arguments (null), nothing runs. Throws TooMany, Overloaded for a job that takes too long and for an aborted
 * request, and whatever `prepare` and the job throw.
 */
export type Job<Args extends unknown[], Result> = <Given extends Args | null>(
  requester: Requester,
  prepare: () => Promise<Given>,
) => Promise<Result | Extract<Given, null>>;
