/**
 * Reason why a call was lost with its thread: a call was late, or none completed for `stallMs`; the heap was full; the thread crashed or
 * was stopped; only this call was `interrupted`. `other`: the thread ended because of another call, which was running, late or aborted.
 */
export type LossKind = 'late' | 'interrupted' | 'stalled' | 'memory' | 'broken' | 'stopped' | 'other';

/** Error of a call whose thread ended before responding. */
export class ThreadLost extends Error {
  override name = 'ThreadLost';
  readonly kind: LossKind;
  constructor(kind: LossKind, cause?: unknown) {
    super(`the thread was lost (${kind})`, { cause });
    this.kind = kind;
  }
}

/**
 * Returns why a call could not read an email's content: the loss of its thread, or V8's RangeError for a stack or a string that
 * became too long. Null for any other error.
 */
export function lossOf(error: unknown): Pick<ThreadLost, 'kind' | 'cause'> | null {
  if (error instanceof ThreadLost) return error;
  if (error instanceof Error && error.name === 'Interrupted') return { kind: 'interrupted', cause: error };
  return error instanceof Error && error.name === 'RangeError' ? { kind: 'memory', cause: error } : null;
}
