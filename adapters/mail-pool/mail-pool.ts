import { type LimitName, limits } from '#core/limits.ts';
import { type MailExaminer, senderOf } from '#core/messages/examine.ts';
import { FairQueue } from '#gate/fair-queue.ts';
import { MailPoolLane } from './lane.ts';
import type { Loss, Manner, Outcome } from './messages.ts';
import { asRaw, readHead } from './pieces.ts';
import { type Mail, MailPoolWorker, type WorkerOptions } from './pool-worker.ts';

export type MailPoolOptions = {
  workers: number;
  /** `host:port` each; empty for the system's. */
  dnsServers: string[];
  maxMessageBytes: number;
  /** Longest time for a mail. A worker that takes longer is replaced. */
  examineTimeoutMs: number;
  /** Module that each worker thread runs. */
  entry?: URL;
  /** Called once a mail for each limit that it reached, and for each thread that was replaced. */
  limitReached?: (name: LimitName) => void;
};

/** Largest mail that is sent to a worker whole. A longer one is read by a worker in pieces, one mail at a time. */
const smallBytes = 1_048_576;
/** Maximum mails and bytes that one worker examines at a time. Many mails wait for the DNS side by side. */
const maxMails = 256;
const maxBytes = 8 * smallBytes;
const idleMs = 30_000;
const workerEntry = new URL('./mail-worker.ts', import.meta.url);

/** Next attempt with a mail that was lost with its thread, by the last one. Null after the last attempt. */
const nextManner: Record<Manner, Manner | null> = {
  together: 'apart',
  apart: 'unchecked',
  unchecked: 'header',
  header: null,
};

/**
 * Examines mails in worker threads. Small mails are examined together. Large ones, and those that cost too much or broke
 * their thread, are examined in threads of their own. A mail that breaks these too gets the content of its header section.
 */
export function createMailPool(options: MailPoolOptions): MailExaminer {
  const pool = new MailPool(options);
  return {
    examine: (source, arrival) =>
      new Promise((resolve, reject) => {
        const sizeBytes = source instanceof Uint8Array ? source.length : source.sizeBytes;
        const large = source instanceof Uint8Array && source.length > smallBytes;
        pool.add({
          source: large ? asRaw(source) : source,
          sizeBytes,
          arrival,
          manner: 'together',
          loss: { reason: '', limit: null },
          moves: 0,
          sourceError: null,
          resolve,
          reject,
        });
      }),
    close: () => pool.close(),
  };
}

class MailPool {
  readonly #options: MailPoolOptions;
  #workers: MailPoolWorker[] = [];
  readonly #small = new FairQueue<Mail>();
  readonly #lanes: { large: MailPoolLane; suspect: MailPoolLane; header: MailPoolLane };
  #open = 0;
  #closing: (() => void) | null = null;

  constructor(options: MailPoolOptions) {
    this.#options = options;
    const { examineTimeoutMs: timeoutMs } = options;
    const { suspectMs, suspectThreads, headerMs } = limits.mail;
    const lane = (most: number, timeout: number, change: Partial<WorkerOptions> = {}) =>
      new MailPoolLane({
        most,
        idleMs,
        start: () => this.#start({ timeoutMs: Math.min(timeoutMs, timeout), stallMs: null, ...change }),
      });
    this.#lanes = {
      large: lane(1, timeoutMs),
      suspect: lane(suspectThreads, suspectMs, { timeLimit: 'mail.suspectMs' }),
      header: lane(1, headerMs, { timeoutMs: headerMs, timeLimit: 'mail.headerMs', entry: workerEntry }),
    };
    this.#hire();
  }

  add(mail: Mail): void {
    if (this.#closing !== null) {
      mail.reject(new Error('the mail pool is closed'));
      return;
    }
    this.#open += 1;
    if (mail.source instanceof Uint8Array) this.#queue(mail);
    else this.#lanes.large.add(Object.assign(mail, { manner: 'apart' }));
  }

  /** Waits for the mails that were added, then stops the threads. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      if (this.#open === 0) resolve();
    });
    await Promise.all([...this.#workers, ...Object.values(this.#lanes)].map((threads) => threads.stop()));
  }

  #start(change: Partial<WorkerOptions>): MailPoolWorker {
    const { dnsServers, maxMessageBytes, examineTimeoutMs: timeoutMs, entry = workerEntry } = this.#options;
    const { stallMs } = limits.mail;
    return new MailPoolWorker(
      { dnsServers, maxMessageBytes, timeoutMs, timeLimit: 'mail.examineMs', entry, stallMs, ...change },
      {
        settled: (mail, outcome) => this.#settle(mail, outcome),
        lost: (mails, loss, culprit) => this.#lose(mails, loss, culprit),
        limitReached: (name) => this.#limitReached(name),
      },
    );
  }

  #limitReached(name: LimitName): void {
    this.#options.limitReached?.(name);
  }

  #queue(mail: Mail): void {
    this.#small.push(senderOf(mail.arrival), mail);
    this.#assign();
  }

  #hire(): void {
    this.#workers = this.#workers.filter(({ gone }) => !gone);
    while (this.#workers.length < this.#options.workers) this.#workers.push(this.#start({}));
  }

  #assign(): void {
    if (this.#small.size > 0) this.#hire();
    while (this.#small.size > 0) {
      const worker = this.#freest();
      if (worker === undefined || worker.load >= maxMails || worker.bytes >= maxBytes) break;
      const mail = this.#small.shift();
      if (mail !== undefined) worker.give(mail);
    }
    for (const lane of Object.values(this.#lanes)) lane.assign();
  }

  #freest(): MailPoolWorker | undefined {
    let freest: MailPoolWorker | undefined;
    for (const worker of this.#workers)
      if (freest === undefined || worker.load < freest.load) freest = worker;
    return freest;
  }

  #settle(mail: Mail, outcome: Outcome): void {
    if ('costly' in outcome) {
      this.#limitReached('mail.sharedCheckMs');
      this.#worsen(mail, { reason: 'the checks cost too much', limit: 'mail.sharedCheckMs' });
      this.#assign();
      return;
    }
    if ('record' in outcome) {
      for (const name of outcome.reached ?? []) this.#limitReached(name);
      mail.resolve(outcome.record);
    } else mail.reject(mail.sourceError ?? new Error(outcome.error));
    this.#done();
  }

  #done(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#closing?.();
    this.#assign();
  }

  /**
   * Queues mails again that were lost with their thread. Mails that were only beside the culprit keep their manner, up to a
   * number of moves. Others are examined in the next manner.
   */
  #lose(mails: Mail[], loss: Loss, culprit: Mail | null): void {
    for (const mail of mails) {
      mail.moves += 1;
      const innocent = culprit !== null && mail !== culprit && mail.manner === 'together';
      const isMovable = mail.moves <= limits.mail.moves;
      if (innocent && !isMovable) this.#limitReached('mail.moves');
      if (innocent && isMovable) this.#queue(mail);
      else this.#worsen(mail, loss);
    }
    this.#assign();
  }

  #worsen(mail: Mail, loss: Loss): void {
    mail.loss = loss;
    const manner = nextManner[mail.manner];
    if (manner === null) {
      this.#giveUp(mail);
      return;
    }
    mail.manner = manner;
    if (manner === 'header') {
      readHead(mail.source).then(
        (head) => this.#lanes.header.add(Object.assign(mail, { source: head })),
        (error) => {
          mail.reject(error);
          this.#done();
        },
      );
    } else if (mail.source instanceof Uint8Array) this.#lanes.suspect.add(mail);
    else this.#lanes.large.add(mail);
  }

  /** Resolves with a content without any field, since reading the header section alone broke its thread too. */
  #giveUp({ sizeBytes, arrival, loss, resolve, reject }: Mail): void {
    // The packages of the parser take 30 MB. Import them here, so that this thread loads them only when it must.
    import('./fallback.ts')
      .then(({ fallbackContent }) =>
        fallbackContent(new Uint8Array(), sizeBytes, arrival, this.#options.maxMessageBytes, loss),
      )
      .then(({ record }) => resolve(record), reject)
      .finally(() => this.#done());
  }
}
