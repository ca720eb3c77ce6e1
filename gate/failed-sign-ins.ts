import type { RateWindow } from '#core/access/access.ts';
import { type Digest, newDigest } from '#core/access/secrets.ts';
import type { SignInLimit } from '#core/delivery/submitter.ts';
import { TooMany } from '#core/errors.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { RecentKeys } from './recent-keys.ts';

const minuteMs = 60_000;

type Ports = { attempts: RateWindow; metrics: { limitReached(limit: LimitName): void } };

/**
 * Failed sign-ins of the last minute by party, counted across all processes. Refuses a party that has failed too often. A process learns
 * of this when a failure occurs in that process, so a successful sign-in does not have to ask the others.
 */
export class FailedSignIns implements SignInLimit {
  readonly #ports: Ports;
  /** Parties that have failed too often. */
  readonly #refused: RecentKeys;
  /** Parties that have failed in this process. */
  readonly #failed: RecentKeys;

  constructor(ports: Ports, now: () => number = () => performance.now()) {
    this.#ports = ports;
    this.#refused = new RecentKeys(limits.access.refusedSubmitters, now);
    this.#failed = new RecentKeys(limits.access.refusedSubmitters, now);
  }

  /** Throws TooMany if the party has failed too often. */
  check(party: string): void {
    const waitMs = this.#refused.leftMs(party);
    if (waitMs > 0) this.#refuse(waitMs);
  }

  /** Throws TooMany if `name` has failed too often, and `client` at least once in this process. */
  checkGuess(client: string, name: string): void {
    if (this.#failed.has(client)) this.check(name);
  }

  /**
   * Returns the party in whose turn a guess is checked, or null if the guess need not wait. All guesses for a name that has failed too
   * often share one turn, however many clients make them. So do all guesses of a client that has failed.
   */
  turnOf(client: string, name: string): string | null {
    if (this.#refused.has(name)) return name;
    return this.#failed.has(client) ? client : null;
  }

  /** Counts a failure for each party. Throws TooMany if one of them exceeds its limit. */
  async count(parties: string[]): Promise<void> {
    let waitMs = 0;
    for (const party of parties) {
      this.#failed.add(party, minuteMs);
      const most = limits.access.failedSubmitters;
      const { slot, resetMs } = await this.#ports.attempts.take(`submit:${party}`, most, minuteMs);
      if (slot !== null) continue;
      waitMs = Math.max(waitMs, resetMs);
      this.#refused.add(party, resetMs);
    }
    if (waitMs > 0) this.#refuse(waitMs);
  }

  #refuse(waitMs: number): never {
    this.#ports.metrics.limitReached('access.failedSubmitters');
    throw new TooMany('Too many failed sign-ins', waitMs);
  }
}

/**
 * Recently verified passwords. They save a sender that opens a connection for each email an argon2 run each time. Keeps keyed digests of
 * the password and of the hash that it matched: after a password change, the hash is different.
 */
export class KnownPasswords {
  readonly #digest: Digest = newDigest();
  readonly #known: RecentKeys;

  constructor(now: () => number = () => performance.now()) {
    this.#known = new RecentKeys(limits.access.knownPasswords, now);
  }

  has(hash: string, password: string): boolean {
    return this.#known.has(this.#digest(`${hash}\0${password}`));
  }

  /** Remembers a password for one minute. If there are too many, forgets the oldest. */
  add(hash: string, password: string): void {
    this.#known.add(this.#digest(`${hash}\0${password}`), limits.access.knownPasswordMs);
  }
}
