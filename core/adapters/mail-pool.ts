import type { MailExaminer } from '#core/messages/examine.ts';
import type { Outcome } from './mail-pool-messages.ts';
import { asRaw } from './mail-pool-pieces.ts';
import { attachTexts } from './mail-pool-texts.ts';
import { type Mail, MailPoolWorker, type WorkerOptions } from './mail-pool-worker.ts';

export type MailPoolOptions = {
  workers: number;
  /** `host:port` each; none: the system's. */
  dnsServers: string[];
  maxMessageBytes: number;
  /** A worker that keeps a mail longer is replaced. */
  examineTimeoutMs: number;
  /** What the workers run. */
  entry?: URL;
};

/** A mail up to this size is sent to a worker at once; a longer one is read from there piece by piece, one at a time. */
const SMALL = 1_048_576;
/** What one worker has at a time: DNS makes mails wait, so that many wait side by side. */
const MAX_MAILS = 256;
const MAX_BYTES = 8 * SMALL;

/**
 * Examines mails in worker threads. Mails of a worker that crashes or hangs are tried once more, each alone in a worker;
 * one that does it again gets the content of its header section.
 */
export function createMailPool(options: MailPoolOptions): MailExaminer {
  const pool = new MailPool(options);
  return {
    examine: (source, arrival) =>
      new Promise((resolve, reject) => {
        const large = source instanceof Uint8Array && source.length > SMALL;
        const mail = { source: large ? asRaw(source) : source, arrival, failures: 0, sourceError: null };
        pool.add({ ...mail, resolve, reject });
      }),
    close: () => pool.close(),
  };
}

class MailPool {
  readonly #options: WorkerOptions & { workers: number };
  #workers: MailPoolWorker[] = [];
  /** Runs mails that a worker was lost with; there only while there are any. */
  #ward: MailPoolWorker | null = null;
  readonly #small: Mail[] = [];
  readonly #large: Mail[] = [];
  readonly #suspects: Mail[] = [];
  #largeOut: Mail | null = null;
  #open = 0;
  #closing: (() => void) | null = null;

  constructor({ workers, dnsServers, maxMessageBytes, examineTimeoutMs, entry }: MailPoolOptions) {
    this.#options = {
      workers,
      dnsServers,
      maxMessageBytes,
      timeoutMs: examineTimeoutMs,
      entry: entry ?? new URL('./mail-worker.ts', import.meta.url),
    };
    this.#hire();
  }

  add(mail: Mail): void {
    if (this.#closing !== null) {
      mail.reject(new Error('the mail pool is closed'));
      return;
    }
    this.#open += 1;
    (mail.source instanceof Uint8Array ? this.#small : this.#large).push(mail);
    this.#assign();
  }

  /** Waits for what was added, then stops the threads. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      if (this.#open === 0) resolve();
    });
    await Promise.all([...this.#workers, this.#ward].map((worker) => worker?.stop()));
  }

  #hire(): void {
    this.#workers = this.#workers.filter(({ gone }) => !gone);
    while (this.#workers.length < this.#options.workers) this.#workers.push(this.#start());
  }

  #start(): MailPoolWorker {
    return new MailPoolWorker(this.#options, {
      settled: (mail, outcome) => this.#settle(mail, outcome),
      lost: (mails, reason) => this.#retry(mails, reason),
    });
  }

  #assign(): void {
    if (this.#small.length > 0 || this.#large.length > 0) this.#hire();
    if (this.#largeOut === null && this.#large[0] !== undefined) {
      this.#largeOut = this.#large.shift() ?? null;
      if (this.#largeOut !== null) this.#freest()?.give(this.#largeOut);
    }
    while (this.#small.length > 0) {
      const worker = this.#freest();
      if (worker === undefined || worker.load >= MAX_MAILS || worker.bytes >= MAX_BYTES) break;
      const mail = this.#small.shift();
      if (mail !== undefined) worker.give(mail);
    }
    this.#assignSuspect();
  }

  #freest(): MailPoolWorker | undefined {
    let freest: MailPoolWorker | undefined;
    for (const worker of this.#workers)
      if (freest === undefined || worker.load < freest.load) freest = worker;
    return freest;
  }

  #assignSuspect(): void {
    if (this.#ward !== null && this.#ward.load > 0 && !this.#ward.gone) return;
    const suspect = this.#suspects.shift();
    if (suspect === undefined) {
      void this.#ward?.stop();
      this.#ward = null;
      return;
    }
    if (this.#ward === null || this.#ward.gone) this.#ward = this.#start();
    this.#ward.give(suspect);
  }

  #settle(mail: Mail, outcome: Outcome): void {
    if ('content' in outcome) mail.resolve(attachTexts(outcome.content, outcome.texts));
    else mail.reject(mail.sourceError ?? new Error(outcome.error));
    this.#done(mail);
  }

  #done(mail: Mail): void {
    this.#open -= 1;
    if (this.#largeOut === mail) this.#largeOut = null;
    if (this.#open === 0) this.#closing?.();
    this.#assign();
  }

  #retry(mails: Mail[], reason: string): void {
    for (const mail of mails) {
      mail.failures += 1;
      if (mail.failures === 1) this.#suspects.push(mail);
      else this.#giveUp(mail, reason);
    }
    this.#assign();
  }

  #giveUp(mail: Mail, reason: string): void {
    const raw = mail.source instanceof Uint8Array ? asRaw(mail.source) : mail.source;
    // The parser's packages take 30 MB: this thread loads them only when it must read a mail itself.
    import('./mail-pool-fallback.ts')
      .then(({ fallbackContent }) =>
        fallbackContent(raw, mail.arrival, this.#options.maxMessageBytes, reason),
      )
      .then(mail.resolve, mail.reject)
      .finally(() => this.#done(mail));
  }
}
