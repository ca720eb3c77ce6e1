/** Minimum and maximum length of a password, in code points. */
export const passwordLength = { least: 10, most: 256 } as const;

/** Parameters of argon2id. `memory` is in KiB. */
export type HashCost = { memory: number; passes: number; parallelism: number };

/** Password hash with everything needed to verify a password. */
export type PasswordHash = HashCost & { salt: Buffer; tag: Buffer };

/** Cost of each new hash, and the highest cost of an accepted hash: 19 MiB, two passes, one lane, as OWASP recommends. */
export const hashCost: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };

/** Minimum memory per lane in KiB (RFC 9106). */
const leastMemory = 8;

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

/** Formats a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. */
export function formatPasswordHash({ memory, passes, parallelism, salt, tag }: PasswordHash): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/**
 * Parses a PHC string. Returns null for any other string, and for a hash that costs more than new hashes do: a sign-in with such a hash
 * would keep others waiting.
 */
export function parsePasswordHash(text: string): PasswordHash | null {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(text) ?? [];
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const isWithin =
    cost.memory >= leastMemory &&
    cost.memory <= hashCost.memory &&
    cost.passes >= 1 &&
    cost.passes <= hashCost.passes &&
    cost.parallelism === hashCost.parallelism;
  return isWithin ? { ...cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') } : null;
}
