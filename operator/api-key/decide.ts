import type { ApiKey } from '#core/access/access.ts';
import type { Invalid } from '#core/errors.ts';
import { type CommonStep, finalizerStep, notReady, type Report, recheckMs, type View } from '../reconcile.ts';
import { type Finding, ready, stalled } from '../runtime/conditions.ts';
import { isDeleted } from '../runtime/resource.ts';
import { type ApiKeyResource, secretNameOf } from './resource.ts';
import type { SecretView } from './secrets.ts';

/** Stored key whose value the Secret has: this resource's, another's, or none. `malformed`: the value is not a key. */
export type KeyInSecret = { id: number } | 'foreign' | 'unknown' | 'malformed';

export type ApiKeyView = View<ApiKeyResource> & {
  secret: SecretView | null;
  /** Keys that the store has for the resource. */
  storedKeys: ApiKey[];
  keyInSecret: KeyInSecret;
  /** Entries of the Secret besides the key. */
  addresses: Record<string, string>;
};

export type ApiKeyEffect =
  | { do: 'write-secret'; value: 'new' | 'same' }
  | { do: 'remove-secret' }
  | { do: 'store-key' }
  | { do: 'revoke-key'; id: number };

/**
 * Returns the next step towards the spec of an ApiKey. The Secret is written first and the store takes the key from it,
 * so that no value is lost between the two. A key that is in no Secret is revoked.
 */
export function decideApiKey(view: ApiKeyView): CommonStep<ApiKeyResource> | ApiKeyEffect {
  const { resource, secret, storedKeys, keyInSecret } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const ours = secret?.isOurs ? secret : null;
  const current = ours !== null && typeof keyInSecret === 'object' ? keyInSecret.id : null;
  const stale = storedKeys.find(({ id }) => isDeleted(resource) || id !== current);
  if (stale !== undefined) return { do: 'revoke-key', id: stale.id };
  if (isDeleted(resource)) return ours === null ? { do: 'remove-finalizer' } : { do: 'remove-secret' };
  if (secret !== null && ours === null) return notReady(secretExists(resource));
  if (ours === null || keyInSecret === 'malformed' || keyInSecret === 'foreign') {
    return { do: 'write-secret', value: 'new' };
  }
  if (current === null) return { do: 'store-key' };
  const isComplete = Object.entries(view.addresses).every(([name, value]) => ours.data[name] === value);
  return isComplete && !ours.isInherited
    ? upToDate(resource, current)
    : { do: 'write-secret', value: 'same' };
}

/** Reports the core's message. */
export function apiKeyRefused(_view: ApiKeyView, refusal: Invalid): Report<ApiKeyResource> {
  return notReady(stalled('Refused', refusal.message));
}

function secretExists(resource: ApiKeyResource): Finding[] {
  const name = secretNameOf(resource);
  return stalled(
    'SecretExists',
    `the Secret ${name} is there already and not this ApiKey's: delete it, or make an ApiKey with another secretName`,
  );
}

function upToDate(resource: ApiKeyResource, tokenId: number): Report<ApiKeyResource> {
  const secretName = secretNameOf(resource);
  return {
    do: 'report',
    fields: { tokenId, secretName },
    findings: ready('Stored', `the Secret ${secretName} holds the key`),
    requeueAfterMs: recheckMs,
  };
}
