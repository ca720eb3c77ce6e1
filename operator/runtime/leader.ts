import { type V1Lease, V1MicroTime } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { orNull, unlessConflict } from './api-errors.ts';
import { pause } from './backoff.ts';

/** Lease as it was read. A renewal keeps `acquireTime`, which is never compared, because machines' clocks differ. */
export type LeaseRecord = {
  holder: string;
  transitions: number;
  durationMs: number;
  acquireTime: V1MicroTime | null;
  revision: string;
};

/** Part of a Lease that its holder sets. */
export type LeaseClaim = Pick<LeaseRecord, 'holder' | 'transitions' | 'durationMs'>;

/** Lease that processes compete for. `write` returns false if the Lease has changed since it was read. */
export type LeasePort = {
  read(): Promise<LeaseRecord | null>;
  write(record: LeaseClaim, before: LeaseRecord | null): Promise<boolean>;
};

export type LeaderOptions = {
  lease: LeasePort;
  /** Name of this process. No two running processes have the same name. */
  identity: string;
  onError: (error: unknown) => void;
  /** Called once for each other process that holds the Lease. */
  onWait: (holder: string) => void;
  now?: () => number;
};

/** Same times as in controller-runtime. A leader that could not renew the Lease for `renewMs` stops before another can start. */
const durationMs = 15_000;
const renewMs = 10_000;
const retryMs = 2_000;

/** Leader election, which lets only one of several processes work at a time. */
export class Leader {
  readonly #options: Required<LeaderOptions>;
  #seen: { record: LeaseRecord | null; at: number } = { record: null, at: 0 };
  #renewedAt: number | null = null;
  #waitsFor: string | null = null;

  constructor(options: LeaderOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** Returns true while this process may write. Must be checked before each write, because a suspended process misses its timers. */
  isLeading(): boolean {
    return this.#renewedAt !== null && this.#options.now() - this.#renewedAt < renewMs;
  }

  /**
   * Competes for the Lease until `signal` is aborted. Calls `lead` for each term, and waits for it to end after the term's signal is
   * aborted.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      if (await this.#claim()) await this.#runTerm(signal, lead);
      if (!signal.aborted) await pause(retryMs, signal);
    }
  }

  async #runTerm(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const term = new AbortController();
    const end = () => term.abort();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    const until = term.signal;
    const work = lead(until);
    let deadline: NodeJS.Timeout | undefined;
    while (!until.aborted) {
      clearTimeout(deadline);
      deadline = setTimeout(end, this.#leftMs());
      await pause(retryMs, until);
      if (!until.aborted && !(await this.#claim()) && !this.isLeading()) end();
    }
    clearTimeout(deadline);
    signal.removeEventListener('abort', end);
    await work;
    if (signal.aborted && this.isLeading()) await this.#release();
    this.#renewedAt = null;
  }

  #leftMs(): number {
    return Math.max(0, (this.#renewedAt ?? 0) + renewMs - this.#options.now());
  }

  /** Acquires or renews the Lease. Returns false if another process holds the Lease or the API server cannot be reached. */
  async #claim(): Promise<boolean> {
    const { lease, identity, now, onError } = this.#options;
    const startedAt = now();
    try {
      const record = await lease.read();
      if (record?.revision !== this.#seen.record?.revision || record === null)
        this.#seen = { record, at: startedAt };
      if (record !== null && record.holder !== identity && !this.#hasExpired(record)) {
        this.#renewedAt = null;
        if (this.#waitsFor !== record.holder) this.#options.onWait(record.holder);
        this.#waitsFor = record.holder;
        return false;
      }
      const isNew = record?.holder !== identity;
      const transitions = (record?.transitions ?? -1) + (isNew ? 1 : 0);
      if (!(await lease.write({ holder: identity, transitions, durationMs }, record))) return false;
      this.#renewedAt = startedAt;
      this.#waitsFor = null;
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  /** Checks for a Lease that has no holder, or that was not renewed for its duration, by this process's clock. */
  #hasExpired({ holder, durationMs: lasts }: LeaseRecord): boolean {
    return holder === '' || this.#options.now() - this.#seen.at >= lasts;
  }

  /** Clears the holder, so another process can acquire the Lease immediately. */
  async #release(): Promise<void> {
    try {
      const record = await this.#options.lease.read();
      if (record?.holder !== this.#options.identity) return;
      await this.#options.lease.write({ ...record, holder: '' }, record);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** Reads and writes the Lease `name` in the process's own namespace. */
export function createLease({ coordination, namespace }: ApiClient, name: string): LeasePort {
  return {
    async read() {
      const lease = await orNull(coordination.readNamespacedLease({ name, namespace }));
      return lease === null ? null : recordOf(lease);
    },
    write({ holder, transitions, durationMs }, before) {
      const time = new V1MicroTime();
      const isRenewal = before?.holder === holder;
      const body: V1Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace, ...(before === null ? {} : { resourceVersion: before.revision }) },
        spec: {
          holderIdentity: holder,
          leaseTransitions: transitions,
          leaseDurationSeconds: durationMs / 1000,
          renewTime: time,
          acquireTime: isRenewal && before.acquireTime ? before.acquireTime : time,
        },
      };
      return unlessConflict(
        before === null
          ? coordination.createNamespacedLease({ namespace, body })
          : coordination.replaceNamespacedLease({ name, namespace, body }),
      );
    },
  };
}

function recordOf({ metadata, spec }: V1Lease): LeaseRecord {
  return {
    holder: spec?.holderIdentity ?? '',
    transitions: spec?.leaseTransitions ?? 0,
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    acquireTime: spec?.acquireTime ?? null,
    revision: metadata?.resourceVersion ?? '',
  };
}
