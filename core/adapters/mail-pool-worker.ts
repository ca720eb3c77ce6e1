import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { MessageContent } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { RawMessage } from '#core/messages/message.ts';
import type { JobBatch, MailJob, Outcome, WorkerSettings } from './mail-pool-messages.ts';
import { servePieces } from './mail-pool-pieces.ts';

/** A mail on its way through the pool. `sourceError` is why its bytes could not be read. */
export type Mail = {
  source: Uint8Array | RawMessage;
  arrival: Arrival;
  failures: number;
  sourceError: unknown;
  resolve(content: MessageContent): void;
  reject(error: unknown): void;
};

export type WorkerOptions = WorkerSettings & { entry: URL; timeoutMs: number };

/** What a worker tells the pool: a mail is done, or the worker is gone and these mails with it. */
export type WorkerEvents = {
  settled(mail: Mail, outcome: Outcome): void;
  lost(mails: Mail[], reason: string): void;
};

/**
 * Old space holds the strings of one large mail and its search text. New space is small, for what a mail leaves behind
 * is short-lived, and the rest of it would only be memory that the thread keeps.
 */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };

/** One thread, the mails that it has, and its time limit. Gone once it has stopped, for whatever reason. */
export class MailPoolWorker {
  gone = false;
  /** Bytes of the mails in memory that the thread has. */
  bytes = 0;
  readonly #thread: Worker;
  readonly #timeoutMs: number;
  readonly #events: WorkerEvents;
  /** By id; the first is the one that has been there longest. */
  readonly #mails = new Map<number, { mail: Mail; since: number }>();
  #batch: Mail[] = [];
  #lastId = 0;
  #clock: NodeJS.Timeout | undefined;
  #reason = 'the reader stopped';

  constructor({ entry, timeoutMs, ...settings }: WorkerOptions, events: WorkerEvents) {
    this.#timeoutMs = timeoutMs;
    this.#events = events;
    this.#thread = new Worker(entry, { workerData: settings, resourceLimits: LIMITS });
    this.#thread.on('message', (outcomes: Outcome[]) => this.#settle(outcomes));
    this.#thread.on('error', (error) => {
      this.#reason = `the reader broke: ${error instanceof Error ? error.message : String(error)}`;
    });
    this.#thread.on('exit', () => this.#lose());
  }

  get load(): number {
    return this.#mails.size + this.#batch.length;
  }

  /** Mails given in one turn of the event loop travel together. */
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
      this.#events.lost(mails, this.#reason);
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
      this.#mails.set(id, { mail, since: Date.now() });
      if (mail.source instanceof Uint8Array) {
        bytes.set(mail.source, start);
        start += mail.source.length;
        return { id, arrival: mail.arrival, start: start - mail.source.length, end: start };
      }
      const pair: [MessagePort, MessagePort] = [
        this.#serve(mail, mail.source),
        this.#serve(mail, mail.source),
      ];
      ports.push(...pair);
      return { id, arrival: mail.arrival, ports: pair };
    });
    this.#thread.postMessage({ bytes, jobs } satisfies JobBatch, [bytes.buffer, ...ports]);
    this.#clock ??= setTimeout(() => this.#checkTime(), this.#timeoutMs);
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
    this.#reason = `reading took more than ${this.#timeoutMs} ms`;
    void this.#thread.terminate();
  }

  #lose(): void {
    this.gone = true;
    clearTimeout(this.#clock);
    const mails = Array.from(this.#mails.values(), ({ mail }) => mail);
    this.#mails.clear();
    this.#events.lost(mails, this.#reason);
  }
}
