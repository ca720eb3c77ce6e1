import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { LimitName } from '#core/limits.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';
import type { RawMessage } from '#core/messages/message.ts';
import type { JobBatch, Loss, MailJob, Manner, Outcome, WorkerData, WorkerSettings } from './messages.ts';
import { servePieces } from './pieces.ts';

/**
 * Mail on its way through the pool. `loss` is the reason why it is not examined in a better manner. `moves` counts the
 * threads that it was lost with. `sourceError` is the error of reading its bytes.
 */
export type Mail = {
  source: Uint8Array | RawMessage;
  sizeBytes: number;
  arrival: Arrival;
  manner: Manner;
  loss: Loss;
  moves: number;
  sourceError: unknown;
  resolve(record: MailRecord): void;
  reject(error: unknown): void;
};

/**
 * Options of a worker. A thread that answers nothing for `stallMs` of processor time is replaced. `stallMs` is null where no
 * other mail waits for the thread. `timeLimit` is the name of `timeoutMs`.
 */
export type WorkerOptions = WorkerSettings & {
  entry: URL;
  timeoutMs: number;
  timeLimit: LimitName;
  stallMs: number | null;
};

/**
 * Events of a worker: a mail is done, a limit was reached, or the worker is gone with these mails, one of which may be the
 * cause.
 */
export type WorkerEvents = {
  settled(mail: Mail, outcome: Outcome): void;
  lost(mails: Mail[], loss: Loss, culprit: Mail | null): void;
  limitReached(name: LimitName): void;
};

/**
 * Heap limits of a thread. Old space has room for the strings of one large mail and its search text. New space is small:
 * garbage of a mail is short-lived, and a larger space would only be memory that the thread keeps.
 */
const heapLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };

/** Thread with its mails and its time limit. `gone` is true once it has stopped, for whatever reason. */
export class MailPoolWorker {
  gone = false;
  /** Bytes in memory of the thread's mails. */
  bytes = 0;
  readonly #thread: Worker;
  readonly #timeoutMs: number;
  readonly #timeLimit: LimitName;
  readonly #events: WorkerEvents;
  /** Mails of the thread, by id, the oldest first. */
  readonly #mails = new Map<number, { mail: Mail; since: number }>();
  #batch: Mail[] = [];
  #lastId = 0;
  readonly #watch: StallWatch | null;
  /** Id of the mail that is being worked on. */
  readonly #current = new Int32Array(new SharedArrayBuffer(4));
  #clock: NodeJS.Timeout | undefined;
  /** True if the thread has loaded its modules, which takes longer than a mail may. */
  #ready = false;
  #loss: Loss = { reason: 'the reader stopped', limit: null };

  constructor({ entry, timeoutMs, timeLimit, stallMs, ...settings }: WorkerOptions, events: WorkerEvents) {
    this.#timeoutMs = timeoutMs;
    this.#timeLimit = timeLimit;
    this.#events = events;
    const workerData: WorkerData = { ...settings, current: this.#current };
    this.#thread = new Worker(entry, { workerData, resourceLimits: heapLimits });
    this.#watch =
      stallMs === null
        ? null
        : new StallWatch(this.#thread, stallMs, () => this.#end('mail.stallMs', stallMs));
    this.#thread.on('message', (outcomes: Outcome[]) => this.#settle(outcomes));
    this.#thread.on('error', (error) => {
      const message = error instanceof Error ? error.message : String(error);
      this.#loss = { reason: `the reader broke: ${message}`, limit: null };
    });
    this.#thread.on('exit', () => this.#lose());
  }

  get load(): number {
    return this.#mails.size + this.#batch.length;
  }

  /** Adds a mail. Mails of one turn of the event loop are sent to the thread together. */
  give(mail: Mail): void {
    if (mail.source instanceof Uint8Array) this.bytes += mail.source.length;
    if (this.#batch.push(mail) === 1) setImmediate(() => this.#post());
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }

  #post(): void {
    const mails = this.#batch;
    this.#batch = [];
    if (this.gone) {
      this.#events.lost(mails, this.#loss, null);
      return;
    }
    const length = mails.reduce(
      (sum, { source }) => sum + (source instanceof Uint8Array ? source.length : 0),
      0,
    );
    const bytes = new Uint8Array(length);
    const ports: MessagePort[] = [];
    let start = 0;
    const jobs = mails.map((mail): MailJob => {
      const id = ++this.#lastId;
      const { arrival, manner, loss, sizeBytes } = mail;
      const job = { id, arrival, manner, loss, sizeBytes };
      this.#mails.set(id, { mail, since: Date.now() });
      if (mail.source instanceof Uint8Array) {
        bytes.set(mail.source, start);
        start += mail.source.length;
        return { ...job, start: start - mail.source.length, end: start };
      }
      const pair: [MessagePort, MessagePort] = [
        this.#serve(mail, mail.source),
        this.#serve(mail, mail.source),
      ];
      ports.push(...pair);
      return { ...job, ports: pair };
    });
    this.#thread.postMessage({ bytes, jobs } satisfies JobBatch, [bytes.buffer, ...ports]);
    this.#clock ??= setTimeout(() => this.#checkTime(), this.#timeoutMs);
    if (this.#ready) this.#watch?.begin();
  }

  #serve(mail: Mail, raw: RawMessage): MessagePort {
    const { port1, port2 } = new MessageChannel();
    servePieces(raw, port1, (error) => {
      mail.sourceError = error;
    });
    return port2;
  }

  #settle(outcomes: Outcome[]): void {
    for (const outcome of outcomes) {
      const entry = this.#mails.get(outcome.id);
      if (entry === undefined) continue;
      this.#mails.delete(outcome.id);
      if (entry.mail.source instanceof Uint8Array) this.bytes -= entry.mail.source.length;
      this.#events.settled(entry.mail, outcome);
    }
    if (!this.#ready) this.#begin();
    this.#watch?.seen();
    if (this.load === 0) this.#watch?.end();
    else this.#watch?.begin();
  }

  /** Lets the time of mails that waited for the thread begin. */
  #begin(): void {
    this.#ready = true;
    for (const entry of this.#mails.values()) entry.since = Date.now();
  }

  #checkTime(): void {
    this.#clock = undefined;
    const [oldest] = this.#mails.values();
    if (oldest === undefined) return;
    const left = oldest.since + this.#timeoutMs - Date.now();
    if (left > 0) {
      this.#clock = setTimeout(() => this.#checkTime(), left);
      return;
    }
    this.#end(this.#timeLimit, this.#timeoutMs);
  }

  #end(limit: LimitName, ms: number): void {
    this.#events.limitReached(limit);
    this.#loss = { reason: `reading took more than ${ms} ms`, limit };
    void this.#thread.terminate();
  }

  #lose(): void {
    this.gone = true;
    clearTimeout(this.#clock);
    this.#watch?.end();
    const culprit = this.#mails.get(Atomics.load(this.#current, 0))?.mail ?? null;
    const mails = Array.from(this.#mails.values(), ({ mail }) => mail);
    this.#mails.clear();
    this.#events.lost(mails, this.#loss, culprit);
  }
}

/** Detects a thread that works without a pause and answers nothing. */
class StallWatch {
  readonly #thread: Worker;
  readonly #stallMs: number;
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout | undefined;
  #idle = 0;
  /** Processor time (ms) when the thread last answered or rested; null: not read since then. */
  #since: number | null = null;

  constructor(thread: Worker, stallMs: number, onStall: () => void) {
    this.#thread = thread;
    this.#stallMs = stallMs;
    this.#onStall = onStall;
  }

  begin(): void {
    if (this.#timer !== undefined) return;
    this.seen();
    this.#timer = setInterval(() => void this.#look(), this.#stallMs / 4).unref();
  }

  /** Notes that the thread has answered or rested. */
  seen(): void {
    this.#since = null;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const { idle } = this.#thread.performance.eventLoopUtilization();
    if (idle !== this.#idle) this.seen();
    this.#idle = idle;
    // A thread that has ended has no processor time.
    const usage = await this.#thread.cpuUsage().catch(() => null);
    if (usage === null || this.#timer === undefined) return;
    const spentMs = (usage.user + usage.system) / 1000;
    this.#since ??= spentMs;
    if (spentMs - this.#since <= this.#stallMs) return;
    this.end();
    this.#onStall();
  }
}
