import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Passwords } from '#core/access/access.ts';
import { createFairLimiter, type FairLimiter } from '#core/fairness/fair-limiter.ts';
import { limits } from '#core/limits.ts';

/** Parameters of argon2id that OWASP recommends: 19 MiB, two passes, one lane. */
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

type Cost = { memory: number; passes: number; parallelism: number };
type Stored = Cost & { salt: Buffer; tag: Buffer };

/**
 * Hashes with argon2id (RFC 9106), in PHC strings such as `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. A hashing uses
 * `cost.memory` and a thread, so that few run at once. Sign-ins and account passwords have separate limiters: neither waits
 * for the other. `onFull` is called for each hashing that is refused because too many wait.
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
    { memory, passes, parallelism }: Cost,
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
  // Random tag that matches no password, for equal time where no hash exists.
  const nobody: Stored = { ...cost, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) };

  return {
    async hash(password, key) {
      const salt = randomBytes(saltBytes);
      return format({ ...cost, salt, tag: await derive(key, password, salt, cost, tagBytes) });
    },
    async verify(password, hash, key) {
      const stored = (hash === null ? null : parse(hash)) ?? nobody;
      const tag = await derive(key, password, stored.salt, stored, stored.tag.length);
      return timingSafeEqual(tag, stored.tag);
    },
  };
}

function format({ memory, passes, parallelism, salt, tag }: Stored): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

function parse(hash: string): Stored | null {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(hash) ?? [];
  if (memory === undefined) return null;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
