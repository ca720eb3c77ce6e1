import { ThreadLost } from '#adapters/threads/thread-lost.ts';
import { limitOf } from '#core/limit-of.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { type Arrival, type MailExaminer, partyOf } from '#core/messages/examine.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';
import type { RawMessage } from '#core/messages/message.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';
import { RecentKeys } from '#gate/recent-keys.ts';
import { Lane, type LaneOptions, type Mail } from './lane.ts';
import type { ExaminationMode, Loss } from './messages.ts';
import { asRaw, readHead } from './pieces.ts';

export type MailPoolOptions = {
  workers: number;
  /** `host:port` each; empty for the system's servers. */
  dnsServers: string[];
  maxMessageBytes: number;
  /** Maximum time for an email. A worker that takes longer is replaced. */
  examineTimeoutMs: number;
  /** Module that each worker thread runs. */
  entry?: URL;
  /** Called once per email for each limit that the email reached, and once for each thread that was replaced. */
  limitReached?: (name: LimitName) => void;
};

/** Maximum size of an email that is sent to a worker whole. A worker reads a longer email in pieces, one email at a time. */
const smallBytes = 1_048_576;
/**
 * Time in ms for which a party's large emails are examined apart after one of them took too long, and the maximum number of such parties.
 */
const slowFor = { ms: 300_000, parties: 1000 };
/** Maximum emails and bytes that one worker examines at a time. */
const shared = { mails: 256, bytes: 8 * smallBytes };
const { suspectThreads } = limits.mail;
const noLoss: Loss = { reason: '', limit: null };
const workerEntry = new URL('./mail-worker.ts', import.meta.url);

/** Mode of the next attempt, by the last mode, for an email that was lost with its thread. Null after the last attempt. */
const nextMode: Record<ExaminationMode, ExaminationMode | null> = {
  together: 'apart',
  apart: 'unchecked',
  unchecked: 'header',
  header: null,
};

/**
 * Examines emails in worker threads. Small emails are examined together. Large emails, emails that cost too much or broke their thread,
 * and requests with assumed facts are examined in separate threads. An email that also breaks these threads gets only the content of its
 * header section.
 */
export class MailPool implements MailExaminer {
  readonly #maxMessageBytes: number;
  readonly #limitReached: (name: LimitName) => void;
  readonly #lanes: Record<'shared' | 'large' | 'slow' | 'suspect' | 'header' | 'assumed', Lane>;
  /**
   * Parties whose large emails took too long. Their emails are examined apart for some time, so other parties' emails do not wait for
   * them.
   */
  readonly #slow = new RecentKeys(slowFor.parties);
  /** Runs requests with assumed facts, one per user at a time. */
  readonly #asked: FairLimiter;
  readonly #drained = Promise.withResolvers<void>();
  #open = 0;
  #closed = false;

  constructor({
    workers,
    dnsServers,
    maxMessageBytes,
    examineTimeoutMs,
    entry = workerEntry,
    limitReached = () => {},
  }: MailPoolOptions) {
    this.#maxMessageBytes = maxMessageBytes;
    this.#limitReached = limitReached;
    const settings = { dnsServers, maxMessageBytes };
    const lane = (threads: number, timeLimit: LimitName, change: Partial<LaneOptions> = {}) => {
      const timeoutMs = Math.min(examineTimeoutMs, limitOf(timeLimit));
      return new Lane({ entry, settings, threads, timeoutMs, timeLimit, limitReached, ...change });
    };
    this.#lanes = {
      shared: lane(workers, 'mail.examineMs', { shared }),
      large: lane(1, 'mail.largeMs'),
      slow: lane(1, 'mail.examineMs'),
      suspect: lane(suspectThreads, 'mail.suspectMs'),
      assumed: lane(suspectThreads, 'mail.suspectMs'),
      header: lane(1, 'mail.headerMs', { entry: workerEntry }),
    };
    this.#asked = createFairLimiter({
      placesPerKey: 1,
      waitingPerKey: limits.checks.waiting,
      onFull: () => limitReached('checks.waiting'),
    });
  }

  async examine(source: Uint8Array | RawMessage, arrival: Arrival): Promise<MailRecord> {
    if (this.#closed) throw new Error('the mail pool is closed');
    this.#open += 1;
    try {
      const given = source instanceof Uint8Array && source.length > smallBytes ? asRaw(source) : source;
      const isWhole = given instanceof Uint8Array;
      const sizeBytes = isWhole ? given.length : given.sizeBytes;
      const mode = isWhole && arrival.assumed === undefined ? 'together' : 'apart';
      const mail: Mail = { source: given, sizeBytes, arrival, mode, loss: noLoss };
      if (arrival.assumed === undefined) return await this.#examine(mail);
      return await this.#asked(partyOf(arrival), () => this.#examine(mail));
    } finally {
      this.#open -= 1;
      if (this.#closed && this.#open === 0) this.#drained.resolve();
    }
  }

  /** Waits for the added emails, then stops the threads. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#open > 0) await this.#drained.promise;
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.stop()));
  }

  /**
   * Examines an email in the next mode each time it is lost with its thread. An email that did not cause the loss keeps its mode, up
   * to a number of attempts.
   */
  async #examine(mail: Mail): Promise<MailRecord> {
    for (let moves = 0; ; ) {
      const lane = this.#laneOf(mail);
      try {
        const examined = await lane.examine(mail);
        if (examined !== null) {
          for (const name of examined.reached ?? []) this.#limitReached(name);
          return examined.record;
        }
        this.#limitReached('mail.sharedCheckMs');
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error;
        if (error.kind === 'other') {
          moves += 1;
          if (moves <= limits.mail.moves) continue;
          this.#limitReached('mail.moves');
        }
        if (error.kind === 'late' && lane === this.#lanes.large) {
          this.#slow.add(partyOf(mail.arrival), slowFor.ms);
          continue;
        }
        mail.loss = lane.lossOf(error);
      }
      const mode = nextMode[mail.mode];
      if (mode === null) return this.#withoutFields(mail);
      mail.mode = mode;
      if (mode === 'header') mail.source = await readHead(mail.source);
    }
  }

  #laneOf({ mode, source, arrival }: Mail): Lane {
    const { shared, large, slow, suspect, header, assumed } = this.#lanes;
    if (arrival.assumed !== undefined) return assumed;
    if (mode === 'together') return shared;
    if (mode === 'header') return header;
    if (source instanceof Uint8Array) return suspect;
    return this.#slow.has(partyOf(arrival)) ? slow : large;
  }

  /** Returns content without fields, because even reading the header section broke its thread. */
  async #withoutFields(mail: Mail): Promise<MailRecord> {
    // The parser's packages take 30 MB. This import makes the thread load them only when necessary.
    const { fallbackContent } = await import('./fallback.ts');
    return fallbackContent(new Uint8Array(), mail, this.#maxMessageBytes).record;
  }
}
