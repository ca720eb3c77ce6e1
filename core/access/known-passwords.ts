import { createHmac, randomBytes } from 'node:crypto';
import { limits } from '#core/limits.ts';

/**
 * Passwords that were right lately, so that a sender that opens a connection for each mail does not pay for argon2 each
 * time. Holds keyed digests of the password and of the hash that it matched: a changed password has another hash.
 */
export class KnownPasswords {
  readonly #key = randomBytes(32);
  /** Times in ms until which digests are known, oldest first. */
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  has(hash: string, password: string): boolean {
    return (this.#until.get(this.#digest(hash, password)) ?? 0) > this.#now();
  }

  /** Remembers a password for a minute. Forgets the oldest where there are too many. */
  add(hash: string, password: string): void {
    const digest = this.#digest(hash, password);
    const now = this.#now();
    this.#until.delete(digest);
    this.#until.set(digest, now + limits.access.knownPasswordMs);
    for (const [oldest, until] of this.#until) {
      if (until > now && this.#until.size <= limits.access.knownPasswords) return;
      this.#until.delete(oldest);
    }
  }

  #digest(hash: string, password: string): string {
    return createHmac('sha256', this.#key).update(`${hash}\0${password}`).digest('base64');
  }
}
