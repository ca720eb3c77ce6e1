import { senderOf } from '#core/messages/examine.ts';
import { FairQueue } from '#gate/fair-queue.ts';
import type { Mail, MailPoolWorker } from './pool-worker.ts';

/**
 * Separate threads for mails that no other mail may wait for. A thread has one mail at a time. Client addresses take turns.
 */
export class MailPoolLane {
  readonly #start: () => MailPoolWorker;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #waiting = new FairQueue<Mail>();
  #threads: MailPoolWorker[] = [];
  #clock: NodeJS.Timeout | undefined;

  /** `most` is the largest number of threads. A thread stops after `idleMs` without work. */
  constructor({ most, idleMs, start }: { most: number; idleMs: number; start: () => MailPoolWorker }) {
    this.#start = start;
    this.#most = most;
    this.#idleMs = idleMs;
  }

  add(mail: Mail): void {
    this.#waiting.push(senderOf(mail.arrival), mail);
    this.assign();
  }

  /** Gives waiting mails to idle threads. Called after each addition, and when a mail has left a thread. */
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
