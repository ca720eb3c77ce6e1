import { createHmac, hash, randomBytes } from 'node:crypto';

/** Returns 256 random bits as 43 base64url characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a full-entropy secret: its SHA-256 in hex. A slow hash would add no security. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Function that returns the same digest for equal secrets. The digest reveals nothing about the secret. */
export type Digest = (secret: string) => string;

/** Creates a digest function with a random key, which allows comparing secrets in memory without keeping them there. */
export function newDigest(): Digest {
  const key = randomBytes(32);
  return (secret) => createHmac('sha256', key).update(secret).digest('base64');
}
