/**
 * Controller that also aborts with `parent`, and after `ms`. Callers dispose it when its signal is no longer needed.
 *
 * `AbortSignal.any` takes several times as long and, since Node 24.16, loses the abort of a source that is garbage-collected
 * before a listener is added (nodejs/node#65995).
 */
export class LinkedController extends AbortController {
  readonly #parent: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #end = () => this.abort();
  #isLate = false;

  constructor(parent: AbortSignal | undefined, ms?: number) {
    super();
    this.#parent = parent;
    if (parent?.aborted) this.abort();
    parent?.addEventListener('abort', this.#end, { once: true });
    if (ms === undefined) return;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.abort();
    }, ms);
  }

  /** True if `ms` have passed, even if the parent aborted before that. */
  get isLate(): boolean {
    return this.#isLate;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener('abort', this.#end);
  }
}
