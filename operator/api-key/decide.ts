import type { ApiKey, KeyScope } from '#core/access/access.ts';
import { isExpired } from '#core/access/api-keys.ts';
import { type CommonStep, finalizerStep, notReady, type Report, recheckMs, type View } from '../reconcile.ts';
import { type Finding, ready, stalled, timeOf } from '../runtime/conditions.ts';
import { isDeleted, type ResourceOf } from '../runtime/resource.ts';
import type { SecretView } from './secrets.ts';

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

/** Stored key whose value the Secret has: this resource's, another's, or none. `malformed`: the value is not a key. */
export type KeyInSecret = { id: number } | 'foreign' | 'unknown' | 'malformed';

export type ApiKeyView = View<ApiKeyResource> & {
  secret: SecretView | null;
  /** Keys that the store has for the resource. */
  storedKeys: ApiKey[];
  keyInSecret: KeyInSecret;
  /** Entries of the Secret besides the key. */
  addresses: Record<string, string>;
  now: Date;
};

export type ApiKeyEffect =
  | { do: 'write-secret'; value: 'new' | 'same' }
  | { do: 'inherit-secret' }
  | { do: 'remove-secret' }
  | { do: 'store-key' }
  | { do: 'revoke-key'; id: number };

/**
 * Returns the next step towards the spec of an ApiKey. The Secret is written first and the store takes the key from it,
 * so that no value is lost between the two. A key that is in no Secret is revoked. One with another scope or end is revoked and
 * stored again with the same value.
 */
export function decideApiKey(view: ApiKeyView): CommonStep<ApiKeyResource> | ApiKeyEffect {
  const { resource, secret, storedKeys, keyInSecret } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const ours = secret?.isOurs ? secret : null;
  const current = ours !== null && typeof keyInSecret === 'object' ? keyInSecret.id : null;
  const stale = storedKeys.find(
    (key) => isDeleted(resource) || key.id !== current || !hasPowers(key, resource),
  );
  if (stale !== undefined) return { do: 'revoke-key', id: stale.id };
  if (isDeleted(resource)) return ours === null ? { do: 'remove-finalizer' } : { do: 'remove-secret' };
  if (secret !== null && ours === null) return notReady(secretExists(resource));
  const { expiresAt } = powersOf(resource);
  if (expiresAt !== null && isExpired({ expiresAt }, view.now)) return notReady(expired(expiresAt));
  if (ours?.isInherited) return { do: 'inherit-secret' };
  if (ours === null || keyInSecret === 'malformed' || keyInSecret === 'foreign') {
    return { do: 'write-secret', value: 'new' };
  }
  if (current === null) return { do: 'store-key' };
  const isComplete = Object.entries(view.addresses).every(([name, value]) => ours.data[name] === value);
  return isComplete ? upToDate(view, current) : { do: 'write-secret', value: 'same' };
}

function hasPowers(key: ApiKey, resource: ApiKeyResource): boolean {
  const { scope, expiresAt } = powersOf(resource);
  return key.scope === scope && key.expiresAt?.getTime() === expiresAt?.getTime();
}

function secretExists(resource: ApiKeyResource): Finding[] {
  const name = secretNameOf(resource);
  return stalled(
    'SecretExists',
    `the Secret ${name} is there already and not this ApiKey's: delete it, or make an ApiKey with another secretName`,
  );
}

function expired(expiresAt: Date): Finding[] {
  return stalled(
    'Expired',
    `the key is refused since ${timeOf(expiresAt)}: set a later spec.expiresAt, or delete this ApiKey`,
  );
}

function upToDate({ resource, now }: ApiKeyView, tokenId: number): Report<ApiKeyResource> {
  const secretName = secretNameOf(resource);
  const { expiresAt } = powersOf(resource);
  const leftMs = expiresAt === null ? recheckMs : expiresAt.getTime() - now.getTime();
  return {
    do: 'report',
    fields: { tokenId, secretName },
    findings: ready('Stored', `the Secret ${secretName} holds the key`),
    requeueAfterMs: Math.min(recheckMs, leftMs),
  };
}
