import { limits } from '#core/limits.ts';
import { RecentKeys } from './recent-keys.ts';
import { type Digest, newDigest } from './secrets.ts';

/**
 * Passwords that were right lately, so that a sender that opens a connection for each mail does not pay for argon2 each
 * time. Keeps keyed digests of the password and of the hash that it matched: a changed password has another hash.
 */
export class KnownPasswords {
  readonly #digest: Digest = newDigest();
  readonly #known: RecentKeys;

  constructor(now: () => number = () => performance.now()) {
    this.#known = new RecentKeys(limits.access.knownPasswords, now);
  }

  has(hash: string, password: string): boolean {
    return this.#known.leftMs(this.#digest(`${hash}\0${password}`)) > 0;
  }

  /** Remembers a password for a minute. Forgets the oldest where there are too many. */
  add(hash: string, password: string): void {
    this.#known.add(this.#digest(`${hash}\0${password}`), limits.access.knownPasswordMs);
  }
}
