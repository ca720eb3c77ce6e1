import { TooMany } from '#core/errors.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { RateWindow } from './access.ts';

const minuteMs = 60_000;

type Ports = { attempts: RateWindow; metrics: { limitReached(limit: LimitName): void } };

/**
 * Failed sign-ins of the last minute by party, over all processes. Refuses the parties that have failed too often: by then
 * this process has seen one of their failures. A sign-in that succeeds asks no other process.
 */
export class FailedSignIns {
  readonly #ports: Ports;
  readonly #now: () => number;
  /** Times in ms at which parties may try again, in the order of their last failure. */
  readonly #refused = new Map<string, number>();

  constructor(ports: Ports, now: () => number = () => performance.now()) {
    this.#ports = ports;
    this.#now = now;
  }

  /** Throws TooMany where one of the parties has failed too often. */
  check(parties: string[]): void {
    const until = Math.max(...parties.map((party) => this.#refused.get(party) ?? 0));
    const waitMs = until - this.#now();
    if (waitMs > 0) this.#refuse(waitMs);
  }

  /** Counts a failure of each party. Throws TooMany where it is one too many for one of them. */
  async count(parties: string[]): Promise<void> {
    let waitMs = 0;
    for (const party of parties) {
      const most = limits.access.failedSubmitters;
      const { slot, resetMs } = await this.#ports.attempts.take(`submit:${party}`, most, minuteMs);
      if (slot !== null) continue;
      waitMs = Math.max(waitMs, resetMs);
      this.#refused.delete(party);
      this.#refused.set(party, this.#now() + resetMs);
    }
    this.#forget();
    if (waitMs > 0) this.#refuse(waitMs);
  }

  #refuse(waitMs: number): never {
    this.#ports.metrics.limitReached('access.failedSubmitters');
    throw new TooMany('Too many failed sign-ins', waitMs);
  }

  /** Forgets parties that may try again, and the oldest where there are too many. */
  #forget(): void {
    for (const [party, until] of this.#refused) {
      if (until > this.#now() && this.#refused.size <= limits.access.refusedSubmitters) return;
      this.#refused.delete(party);
    }
  }
}
