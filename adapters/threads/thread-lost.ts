/**
 * Reason for which a call was lost with its thread: a call was late, or none was answered for `stallMs`; the heap was full; the
 * thread broke or was stopped; the call alone was `interrupted`. `other`: it ended for another call, which was being worked on, late or
 * aborted.
 */
export type LossKind = 'late' | 'interrupted' | 'stalled' | 'memory' | 'broken' | 'stopped' | 'other';

/** Error of a call whose thread ended before its answer. */
export class ThreadLost extends Error {
  override name = 'ThreadLost';
  readonly kind: LossKind;
  constructor(kind: LossKind, cause?: unknown) {
    super(`the thread was lost (${kind})`, { cause });
    this.kind = kind;
  }
}

/**
 * Returns why a call could not read what a mail contains: the loss of its thread, or the RangeError of V8 for a stack or a string
 * that became too long. Null for any other error.
 */
export function lossOf(error: unknown): Pick<ThreadLost, 'kind' | 'cause'> | null {
  if (error instanceof ThreadLost) return error;
  if (error instanceof Error && error.name === 'Interrupted') return { kind: 'interrupted', cause: error };
  return error instanceof Error && error.name === 'RangeError' ? { kind: 'memory', cause: error } : null;
}
