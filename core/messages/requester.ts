import type { Id } from '#core/ids.ts';

/** User whose work waits for a turn, and the request's signal. Work of an aborted request is dropped. */
export type Requester = { user: Id; signal: AbortSignal };
