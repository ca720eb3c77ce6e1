import type { ApiKey } from '#core/access/access.ts';
import { isExpired } from '#core/access/api-keys.ts';
import { type CommonStep, finalizerStep, notReady, type Report, recheckMs } from '../reconcile.ts';
import { type Finding, ready, stalled, timeOf, waiting } from '../runtime/conditions.ts';
import { isDeleted } from '../runtime/resource.ts';
import { secretNameOf } from '../secret-keys.ts';
import { keyEntry } from '../secrets.ts';
import { isUncertain, type Kept, unknownFields, wasRemoved } from '../spec.ts';
import {
  entriesOf,
  faultsOf,
  keptTemplate,
  knownPlaceholders,
  staleEntries,
  usesAddress,
} from './entries.ts';
import type { ApiKeyResource, ApiKeyView } from './view.ts';

/** Calls that a key may make, and its end; null for a key without one. */
export type Powers = Pick<ApiKey, 'scope' | 'expiresAt'>;

/** Fields without which no key is made. */
const powerFields = ['expiresAt', 'scope'] as const;

/**
 * Returns the powers that the key is to have. `stored` is the key that there is. It gets the scope `full`, and loses its end,
 * only where the people of the resource have changed the spec.
 */
export function powersOf(view: ApiKeyView, stored: Powers | null): { powers: Powers; kept: Kept[] } {
  const { spec, status } = view.resource;
  const last = stored ?? lastPowers(status);
  const end = last === null || wasRemoved(view, 'expiresAt') ? null : last.expiresAt;
  const scope = last === null || wasRemoved(view, 'scope') ? 'full' : last.scope;
  const powers = {
    scope: spec.scope ?? scope,
    expiresAt: spec.expiresAt === undefined ? end : new Date(spec.expiresAt),
  };
  const kept: Kept[] = [];
  if (spec.scope === undefined && powers.scope !== 'full') kept.push({ field: 'scope', value: powers.scope });
  if (spec.expiresAt === undefined && powers.expiresAt !== null) {
    kept.push({ field: 'expiresAt', value: timeOf(powers.expiresAt) });
  }
  return { powers, kept };
}

/** Powers of the key that the status tells of. The key may be gone, as with its Secret. */
function lastPowers(status: ApiKeyResource['status']): Powers | null {
  if (status?.scope === undefined) return null;
  return {
    scope: status.scope,
    expiresAt: status.expiresAt === undefined ? null : new Date(status.expiresAt),
  };
}

export type ApiKeyEffect =
  | { do: 'write-secret'; value: 'new' | 'same' }
  | { do: 'inherit-secret' }
  | { do: 'remove-entries'; names: string[] }
  | { do: 'remove-secret' }
  | { do: 'store-key'; powers: Powers }
  | { do: 'change-key'; id: number; set: Partial<Powers> }
  | { do: 'revoke-key'; id: number };

/**
 * Returns the next step towards the spec of an ApiKey. The Secret is written first and the store takes the key from it,
 * so that no value is lost between the two. A key that is in no Secret is revoked. The powers of a key change in place.
 */
export function decideApiKey(view: ApiKeyView): CommonStep<ApiKeyResource> | ApiKeyEffect {
  const { resource, secret, storedKeys, keyInSecret } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const ours = secret?.isOurs ? secret : null;
  const currentId = ours !== null && typeof keyInSecret === 'object' ? keyInSecret.id : null;
  const stale = storedKeys.find(({ id }) => isDeleted(resource) || id !== currentId);
  if (stale !== undefined) return { do: 'revoke-key', id: stale.id };
  if (isDeleted(resource)) return ours === null ? { do: 'remove-finalizer' } : { do: 'remove-secret' };
  const current = storedKeys.find(({ id }) => id === currentId) ?? null;
  const { powers, kept } = powersOf(view, current);
  const report = (one: Report<ApiKeyResource>) => withPowers(one, powers, [...kept, ...keptTemplate(view)]);
  const unknown = current === null ? unknownPowers(view) : [];
  if (unknown.length > 0) return report(notReady(unknownFields('apikeys', view.lacking, unknown)));
  if (secret !== null && ours === null) return report(notReady(secretExists(resource)));
  if (powers.expiresAt !== null && Number.isNaN(powers.expiresAt.getTime())) {
    return notReady(stalled('Refused', 'spec.expiresAt is not a time'));
  }
  if (current !== null && !hasPowers(current, powers)) {
    const { scope, expiresAt } = powers;
    const isSameEnd = current.expiresAt?.getTime() === expiresAt?.getTime();
    const set = { ...(current.scope !== scope && { scope }), ...(!isSameEnd && { expiresAt }) };
    return { do: 'change-key', id: current.id, set };
  }
  if (powers.expiresAt !== null && isExpired(powers, view.now)) {
    return { ...report(notReady(expired(powers.expiresAt))), isApplied: true };
  }
  const hindrance = templateFindings(view);
  if (hindrance !== null) return report(notReady(hindrance));
  if (ours?.isInherited) return { do: 'inherit-secret' };
  if (ours === null || keyInSecret === 'malformed' || keyInSecret === 'foreign') {
    return { do: 'write-secret', value: 'new' };
  }
  if (current === null) return { do: 'store-key', powers };
  const entries = entriesOf(view, ours.data[keyEntry] ?? '');
  const isComplete = Object.entries(entries).every(([name, value]) => ours.data[name] === value);
  if (!isComplete) return { do: 'write-secret', value: 'same' };
  const names = staleEntries(view, entries);
  if (names.length > 0) return { do: 'remove-entries', names };
  return { ...report(upToDate(view, current)), isApplied: true };
}

/** Powers that nobody knows, so that no key can be made. */
function unknownPowers({ resource, lacking }: ApiKeyView): string[] {
  const { spec } = resource;
  if (isUncertain(resource)) return spec.scope === undefined ? ['scope'] : [];
  return powerFields.filter((field) => spec[field] === undefined && lacking.includes(field));
}

function hasPowers(key: ApiKey, { scope, expiresAt }: Powers): boolean {
  return key.scope === scope && key.expiresAt?.getTime() === expiresAt?.getTime();
}

/** Adds the powers to a report, so that they outlast the key. */
export function withPowers(
  report: Report<ApiKeyResource>,
  { scope, expiresAt }: Powers,
  kept: Kept[],
): Report<ApiKeyResource> {
  const fields = {
    ...report.fields,
    scope,
    ...(expiresAt !== null && { expiresAt: expiresAt.toISOString() }),
  };
  return { ...report, fields, kept };
}

/** Returns the findings about a template that cannot be rendered, or null. */
function templateFindings({ resource, address }: ApiKeyView): Finding[] | null {
  const { spec, metadata } = resource;
  const faults = faultsOf(spec.template);
  if (faults.length > 0) {
    const message = `${faults.join('; ')}: a template may have ${knownPlaceholders}. The Secret stays as it is`;
    return stalled('UnknownPlaceholder', message);
  }
  if (address !== null || !usesAddress(spec)) return null;
  const message = `spec.template has {{address}}, and the namespace ${metadata.namespace} has no account other than *@… and those of Inboxes: make an Account there`;
  return waiting('AddressMissing', message);
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

function upToDate({ resource, now }: ApiKeyView, { id, expiresAt }: ApiKey): Report<ApiKeyResource> {
  const secretName = secretNameOf(resource);
  const leftMs = expiresAt === null ? recheckMs : expiresAt.getTime() - now.getTime();
  return {
    do: 'report',
    fields: { tokenId: id, secretName },
    findings: ready('Stored', `the Secret ${secretName} holds the key`),
    requeueAfterMs: Math.min(recheckMs, leftMs),
  };
}
