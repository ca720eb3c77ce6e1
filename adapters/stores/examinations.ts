import type { MailExaminer } from '#core/messages/examine.ts';

/** Counts the emails that are being examined in this process, because a batch that waits briefly can include them. */
export class Examinations {
  #count = 0;
  #none = Promise.withResolvers<void>();

  /** Counts an examiner's work in progress. */
  around(examiner: MailExaminer): MailExaminer {
    return {
      close: () => examiner.close(),
      examine: async (source, arrival) => {
        this.#count += 1;
        try {
          return await examiner.examine(source, arrival);
        } finally {
          this.#count -= 1;
          if (this.#count === 0) {
            // The email joins its queue before a batch starts.
            setImmediate(this.#none.resolve);
            this.#none = Promise.withResolvers();
          }
        }
      },
    };
  }

  /** Resolves when no email is being examined, after `withinMs` at the latest. */
  async ended(withinMs: number): Promise<void> {
    if (this.#count === 0) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    await Promise.race([this.#none.promise, late]);
    clearTimeout(timer);
  }
}
