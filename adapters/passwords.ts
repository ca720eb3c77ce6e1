import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Passwords } from '#core/access/access.ts';
import {
  formatPasswordHash,
  type HashCost,
  hashCost,
  type PasswordHash,
  parsePasswordHash,
} from '#core/access/password-hash.ts';
import { limits } from '#core/limits.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';

const saltBytes = 16;
const tagBytes = 32;

/**
 * Hashes with argon2id (RFC 9106), as PHC strings. Each hash uses `hashCost.memory` and a thread, so few run at the same time. Sign-ins
 * and account passwords have separate limiters, so neither waits for the other. Calls `onFull` for each hash that is refused because too
 * many are waiting.
 */
export function createPasswords(onFull: () => void = () => {}): { signIn: Passwords; accounts: Passwords } {
  const places = limits.access.hashes / 2;
  const limiter = () => createFairLimiter({ places, waitingPerKey: limits.access.hashesWaiting, onFull });
  return { signIn: passwordsIn(limiter()), accounts: passwordsIn(limiter()) };
}

function passwordsIn(limiter: FairLimiter): Passwords {
  const derive = (
    key: string,
    password: string,
    salt: Buffer,
    { memory, passes, parallelism }: HashCost,
    tagLength: number,
  ) =>
    limiter(
      key,
      () =>
        new Promise<Buffer>((resolve, reject) => {
          const parameters = { message: password, nonce: salt, memory, passes, parallelism, tagLength };
          argon2('argon2id', parameters, (err, tag) => (err ? reject(err) : resolve(tag)));
        }),
    );
  // Random tag that matches no password, so a check takes the same time if no hash exists.
  const nobody: PasswordHash = { ...hashCost, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) };

  return {
    async hash(password, key) {
      const salt = randomBytes(saltBytes);
      return formatPasswordHash({
        ...hashCost,
        salt,
        tag: await derive(key, password, salt, hashCost, tagBytes),
      });
    },
    async verify(password, hash, key) {
      const stored = (hash === null ? null : parsePasswordHash(hash)) ?? nobody;
      const tag = await derive(key, password, stored.salt, stored, stored.tag.length);
      return timingSafeEqual(tag, stored.tag);
    },
  };
}
