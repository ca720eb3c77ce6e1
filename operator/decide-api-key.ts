import type { ApiKey } from '#core/access/access.ts';
import { type Finding, ready, stalled } from './conditions.ts';
import { type CommonStep, lookAgainMs, type Report } from './reconcile.ts';
import { type ApiKeyResource, isDeleted, isHeld } from './resources.ts';
import type { SecretView } from './secrets.ts';

/** An ApiKey, its Secret, and what the store knows of both. */
export type ApiKeyView = {
  resource: ApiKeyResource;
  secret: SecretView | null;
  /** Keys that the store has for the resource. */
  kept: ApiKey[];
  /** The store's key of the value in the Secret: ours, somebody else's, or none; `malformed` where it is no key at all. */
  ofSecret: { id: number } | 'foreign' | 'none' | 'malformed';
  /** What the Secret is to say besides the key. */
  addresses: Record<string, string>;
};

export type ApiKeyEffect =
  | { do: 'write-secret'; value: 'new' | 'same' }
  | { do: 'remove-secret' }
  | { do: 'keep' }
  | { do: 'revoke'; id: number };

/** The name of the Secret that an ApiKey asks for. */
export function secretNameOf({ spec, metadata }: ApiKeyResource): string {
  return spec.secretName ?? metadata.name;
}

/**
 * The next step towards what an ApiKey wants. The Secret comes first and the store takes its key from there, so that
 * nobody has to remember a value in between; a key that no Secret holds is revoked.
 */
export function decideApiKey(view: ApiKeyView): CommonStep<ApiKeyResource> | ApiKeyEffect {
  const { resource, secret, kept, ofSecret } = view;
  const ours = secret?.isOurs ? secret : null;
  const current = ours !== null && typeof ofSecret === 'object' ? ofSecret.id : null;
  const stale = kept.find(({ id }) => isDeleted(resource) || id !== current);
  if (isDeleted(resource)) {
    if (!isHeld(resource)) return { do: 'nothing' };
    if (stale !== undefined) return { do: 'revoke', id: stale.id };
    return ours === null ? { do: 'release' } : { do: 'remove-secret' };
  }
  if (!isHeld(resource)) return { do: 'hold' };
  if (stale !== undefined) return { do: 'revoke', id: stale.id };
  if (secret !== null && ours === null) return told(secretExists(resource));
  if (ours === null || ofSecret === 'malformed' || ofSecret === 'foreign') {
    return { do: 'write-secret', value: 'new' };
  }
  if (current === null) return { do: 'keep' };
  const isComplete = Object.entries(view.addresses).every(([name, value]) => ours.data[name] === value);
  return isComplete && !ours.isInherited ? settled(resource, current) : { do: 'write-secret', value: 'same' };
}

function secretExists(resource: ApiKeyResource): Finding[] {
  const name = secretNameOf(resource);
  return stalled(
    'SecretExists',
    `the Secret ${name} is there already and not this ApiKey's: delete it, or make an ApiKey with another secretName`,
  );
}

function settled(resource: ApiKeyResource, tokenId: number): Report<ApiKeyResource> {
  const secretName = secretNameOf(resource);
  return {
    do: 'report',
    fields: { tokenId, secretName },
    findings: ready('Stored', `the Secret ${secretName} holds the key`),
    againMs: lookAgainMs,
  };
}

function told(findings: Finding[]): Report<ApiKeyResource> {
  return { do: 'report', fields: {}, findings, againMs: lookAgainMs };
}
