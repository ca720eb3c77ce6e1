import { createHmac, hash, randomBytes } from 'node:crypto';

/** Returns 256 random bits as 43 base64url characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a full-entropy secret: its SHA-256 in hex. A slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Function of a secret that is equal for equal secrets and reveals nothing about them. */
export type Digest = (secret: string) => string;

/** Returns a separate keyed digest, which allows comparing secrets in memory without keeping them there. */
export function newDigest(): Digest {
  const key = randomBytes(32);
  return (secret) => createHmac('sha256', key).update(secret).digest('base64');
}
