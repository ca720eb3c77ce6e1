import type { Id } from '#core/ids.ts';

/** User whose work waits for its turn, and the request's signal. If the request is aborted, its work is dropped. */
export type Requester = { user: Id; signal: AbortSignal };
