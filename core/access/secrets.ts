import { hash, randomBytes } from 'node:crypto';

/** Returns 256 random bits as 43 base64url characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a secret of full entropy: its SHA-256 in hex. A slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
