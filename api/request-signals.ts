import type { Ctx } from './context.ts';

/** Creates signals for requests without `AbortSignal.any`, which takes ten times as long. */
export class RequestSignals {
  readonly #closing: AbortSignal;
  readonly #open = new Set<AbortController>();

  /** Creates signals that `closing` also aborts. */
  constructor(closing: AbortSignal) {
    this.#closing = closing;
    const end = () => {
      for (const controller of this.#open) controller.abort();
    };
    closing.addEventListener('abort', end, { once: true });
  }

  /**
   * Returns a signal that aborts if the client hangs up before the response is complete. The signal is already aborted if that has
   * happened.
   */
  of({ res }: Pick<Ctx, 'res'>): AbortSignal {
    const controller = new AbortController();
    if (res.closed || this.#closing.aborted) {
      controller.abort();
    } else {
      this.#open.add(controller);
      res.once('close', () => {
        this.#open.delete(controller);
        // Aborting takes time, even if nobody is listening anymore.
        if (!res.writableFinished) controller.abort();
      });
    }
    return controller.signal;
  }
}

/** Returns a signal that aborts if the client hangs up before the response is complete. */
export function untilHangUp({ res }: Pick<Ctx, 'res'>): AbortSignal {
  const controller = new AbortController();
  const end = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) end();
  else res.once('close', end);
  return controller.signal;
}
