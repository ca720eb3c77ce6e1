import type { Id } from '#core/ids.ts';

/** User whose work waits for a turn, and the signal of the request: work whose request was broken off is dropped. */
export type Requester = { user: Id; signal: AbortSignal };
