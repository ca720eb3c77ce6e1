import type { KeyScope } from '#core/access/access.ts';
import type { ResourceOf } from '../runtime/resource.ts';

/** ApiKey resource: one API key and the Secret that contains it. */
export type ApiKeyResource = ResourceOf<
  'ApiKey',
  { secretName?: string; displayName?: string; scope: KeyScope; expiresAt?: string },
  { tokenId?: number; secretName?: string }
>;

/** Name of the resource's Secret. */
export function secretNameOf({ spec, metadata }: ApiKeyResource): string {
  return spec.secretName ?? metadata.name;
}

/** Scope and end of the key; null for a key without an end. */
export function powersOf({ spec: { scope, expiresAt } }: ApiKeyResource) {
  return { scope, expiresAt: expiresAt === undefined ? null : new Date(expiresAt) };
}
