import type { V1MicroTime } from '@kubernetes/client-node';
import { pause } from './pause.ts';

/** A Lease as it was read. `acquireTime` is never compared, for clocks of two machines differ; a renewal keeps it. */
export type LeaseRecord = {
  holder: string;
  transitions: number;
  durationMs: number;
  acquireTime: V1MicroTime | null;
  revision: string;
};

/** The part of a Lease that its holder decides. */
export type LeaseClaim = Pick<LeaseRecord, 'holder' | 'transitions' | 'durationMs'>;

/** The one Lease that operators compete for. `write` is refused (false) where it has changed since it was read. */
export type LeasePort = {
  read(): Promise<LeaseRecord | null>;
  write(record: LeaseClaim, before: LeaseRecord | null): Promise<boolean>;
};

export type LeaderOptions = {
  lease: LeasePort;
  /** Who we are; no two living processes share it. */
  identity: string;
  onTrouble: (error: unknown) => void;
  /** Called once for each other holder that is waited for. */
  onWait: (holder: string) => void;
  now?: () => number;
};

/** As controller-runtime has them: a leader that has not renewed for `renewMs` stops, well before others may begin. */
const durationMs = 15_000;
const renewMs = 10_000;
const retryMs = 2_000;

/** Lets one of several operators work at a time. */
export class Leader {
  readonly #options: Required<LeaderOptions>;
  #seen: { record: LeaseRecord | null; at: number } = { record: null, at: 0 };
  #renewedAt: number | null = null;
  #waitsFor: string | null = null;

  constructor(options: LeaderOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** Whether we may have an effect now: asked before each one, for a process that was held still knows no better. */
  isLeading(): boolean {
    return this.#renewedAt !== null && this.#options.now() - this.#renewedAt < renewMs;
  }

  /** Competes until `signal`; each time that we lead, `lead` works until its own signal, and the next try waits for it. */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      if (await this.#claim()) await this.#reign(signal, lead);
      if (!signal.aborted) await pause(retryMs, signal);
    }
  }

  async #reign(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const term = new AbortController();
    const until = AbortSignal.any([signal, term.signal]);
    const work = lead(until);
    let deadline: NodeJS.Timeout | undefined;
    while (!until.aborted) {
      clearTimeout(deadline);
      deadline = setTimeout(() => term.abort(), this.#leftMs());
      await pause(retryMs, until);
      if (!until.aborted && !(await this.#claim()) && !this.isLeading()) term.abort();
    }
    clearTimeout(deadline);
    await work;
    if (signal.aborted && this.isLeading()) await this.#release();
    this.#renewedAt = null;
  }

  #leftMs(): number {
    return Math.max(0, (this.#renewedAt ?? 0) + renewMs - this.#options.now());
  }

  /** Takes or renews the lease. False where it is another's, or the API server cannot be asked. */
  async #claim(): Promise<boolean> {
    const { lease, identity, now, onTrouble } = this.#options;
    const asked = now();
    try {
      const record = await lease.read();
      if (record?.revision !== this.#seen.record?.revision || record === null)
        this.#seen = { record, at: asked };
      if (record !== null && record.holder !== identity && !this.#hasExpired(record)) {
        this.#renewedAt = null;
        if (this.#waitsFor !== record.holder) this.#options.onWait(record.holder);
        this.#waitsFor = record.holder;
        return false;
      }
      const isNew = record?.holder !== identity;
      const transitions = (record?.transitions ?? -1) + (isNew ? 1 : 0);
      if (!(await lease.write({ holder: identity, transitions, durationMs }, record))) return false;
      this.#renewedAt = asked;
      this.#waitsFor = null;
      return true;
    } catch (error) {
      onTrouble(error);
      return false;
    }
  }

  /** Nobody holds it, or whoever does has not renewed it while we looked on for as long as it lasts. */
  #hasExpired({ holder, durationMs: lasts }: LeaseRecord): boolean {
    return holder === '' || this.#options.now() - this.#seen.at >= lasts;
  }

  /** Lets another one begin at once. */
  async #release(): Promise<void> {
    try {
      const record = await this.#options.lease.read();
      if (record?.holder !== this.#options.identity) return;
      await this.#options.lease.write({ ...record, holder: '' }, record);
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}
