import { FairQueue } from '#core/fairness/fair-queue.ts';
import { senderOf } from '#core/messages/examine.ts';
import type { Mail, MailPoolWorker } from './pool-worker.ts';

/** Threads of their own for mails that nobody else's mail may wait for: one mail each, in turn by client address. */
export class MailPoolLane {
  readonly #start: () => MailPoolWorker;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #waiting = new FairQueue<Mail>();
  #threads: MailPoolWorker[] = [];
  #clock: NodeJS.Timeout | undefined;

  /** Has up to `most` threads, which stop when they have had nothing to do for `idleMs`. */
  constructor({ most, idleMs, start }: { most: number; idleMs: number; start: () => MailPoolWorker }) {
    this.#start = start;
    this.#most = most;
    this.#idleMs = idleMs;
  }

  add(mail: Mail): void {
    this.#waiting.push(senderOf(mail.arrival), mail);
    this.assign();
  }

  /** Called when a mail has left one of the threads, too. */
  assign(): void {
    this.#threads = this.#threads.filter(({ gone }) => !gone);
    clearTimeout(this.#clock);
    while (this.#waiting.size > 0) {
      const thread = this.#threads.find(({ load }) => load === 0) ?? this.#another();
      const mail = thread && this.#waiting.shift();
      if (thread === undefined || mail === undefined) return;
      thread.give(mail);
    }
    if (this.#threads.length > 0) this.#clock = setTimeout(() => this.#stopIdle(), this.#idleMs).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#clock);
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  #another(): MailPoolWorker | undefined {
    if (this.#threads.length >= this.#most) return undefined;
    const thread = this.#start();
    this.#threads.push(thread);
    return thread;
  }

  #stopIdle(): void {
    const idle = this.#threads.filter(({ load }) => load === 0);
    this.#threads = this.#threads.filter(({ load }) => load > 0);
    for (const thread of idle) void thread.stop();
  }
}
