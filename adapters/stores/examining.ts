import type { MailExaminer } from '#core/messages/examine.ts';

/** Count of the mails that are being examined in this process. A batch that waits a little takes them along. */
export class Examining {
  #count = 0;
  #none = Promise.withResolvers<void>();

  /** Counts what an examiner works on. */
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
            // The mail joins its queue before a batch begins.
            setImmediate(this.#none.resolve);
            this.#none = Promise.withResolvers();
          }
        }
      },
    };
  }

  /** Resolves when no mail is being examined, at the latest after `withinMs`. */
  async ended(withinMs: number): Promise<void> {
    if (this.#count === 0) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    await Promise.race([this.#none.promise, late]);
    clearTimeout(timer);
  }
}
