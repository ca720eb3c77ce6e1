import type { ApiKey } from '#core/access/access.ts';
import { isExpired } from '#core/access/api-keys.ts';
import type { Invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { type CommonStep, finalizerStep, notReady, type Report, recheckMs, reportOf } from '../reconcile.ts';
import { isComplete, type KeyEffect, writeOrRepair } from '../repairs.ts';
import { type Finding, ready, stalled, timeOf, waiting } from '../runtime/conditions.ts';
import { isDeleted } from '../runtime/resource.ts';
import { secretExists, secretNameOf } from '../secret-keys.ts';
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
import { isDue, retiringKey, retiringPowers, rotationFields, rotationTime } from './rotation.ts';
import type { ApiKeyResource, ApiKeyView, Powers } from './view.ts';

/** Fields without which no key is created. */
const powerFields = ['expiresAt', 'scope'] as const;

/**
 * Returns the key's wanted powers. `stored` is the existing key. The key gets the scope `full`, or loses its expiration, only if somebody
 * has changed the spec.
 */
function powersOf(view: ApiKeyView, stored: Powers | null): { powers: Powers; kept: Kept[] } {
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

/** Powers of the key according to the status. The key itself may no longer exist, for example if its Secret was deleted. */
function lastPowers(status: ApiKeyResource['status']): Powers | null {
  if (status?.scope === undefined) return null;
  return {
    scope: status.scope,
    expiresAt: status.expiresAt === undefined ? null : new Date(status.expiresAt),
  };
}

export type ApiKeyEffect =
  | KeyEffect
  | { do: 'store-key'; powers: Powers }
  | { do: 'change-key'; id: number; set: Partial<Powers> };

/**
 * Returns the next step toward an ApiKey's spec. The key is first written to the Secret and then stored from there, so its value is never
 * lost in between. A key that is in no Secret is revoked, except the key before the last rotation. A key's powers change without
 * replacing the key.
 */
export function decideApiKey(view: ApiKeyView): CommonStep<ApiKeyResource> | ApiKeyEffect {
  const { resource, secret, storedKeys, keyInSecret } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const { ours, current, retiring } = keysOf(view);
  const stale = storedKeys.find((key) => isDeleted(resource) || (key !== current && key !== retiring));
  if (stale !== undefined) return { do: 'revoke-key', id: stale.id };
  if (isDeleted(resource)) return ours === null ? { do: 'remove-finalizer' } : { do: 'remove-secret' };
  const { powers, kept } = powersOf(view, current);
  const report = (one: Report<ApiKeyResource>) =>
    withKeys(one, view, powers, [...kept, ...keptTemplate(view)]);
  const unknown = current === null ? unknownPowers(view) : [];
  if (unknown.length > 0) return report(notReady(unknownFields('apikeys', view.lacking, unknown)));
  if (secret !== null && ours === null) return report(notReady(secretExists(resource)));
  if (powers.expiresAt !== null && Number.isNaN(powers.expiresAt.getTime())) {
    return notReady(stalled('Refused', 'spec.expiresAt is not a valid time'));
  }
  if (current !== null && !hasPowers(current, powers)) return changeOf(current, powers);
  if (current !== null && retiring !== null) {
    const end = retiringPowers(view, retiring, current, powers);
    if (!hasPowers(retiring, end)) return changeOf(retiring, end);
  }
  if (powers.expiresAt !== null && isExpired(powers, view.now)) {
    const message = `the key expired at ${timeOf(powers.expiresAt)}: set a later spec.expiresAt, or delete this ApiKey`;
    return { ...report(notReady(stalled('Expired', message))), isApplied: true };
  }
  const hindrance = templateFindings(view);
  if (hindrance !== null) return report(notReady(hindrance));
  if (ours?.isInherited) return { do: 'inherit-secret' };
  const isOver = current !== null && isDue(view, current);
  const lacksKey = ours === null || keyInSecret === 'malformed' || keyInSecret === 'foreign';
  if (lacksKey && view.hasRoom) return writeOrRepair(view, 'new', {});
  if (isOver && view.hasRoom) return { do: 'write-secret', value: 'new' };
  if (lacksKey) return report(noRoom('the operator creates no key'));
  if (current === null) return { do: 'store-key', powers };
  const entries = entriesOf(view, ours.data[keyEntry] ?? '');
  if (!isComplete(view, ours, entries)) return writeOrRepair(view, 'same', entries);
  const names = staleEntries(view, entries);
  if (names.length > 0) return { do: 'remove-entries', names };
  const last = isOver ? noRoom('the Secret keeps its current key') : upToDate(view, current, retiring);
  return { ...report(last), isApplied: true };
}

/** Report of a refusal by the core. */
export function refusedKey(view: ApiKeyView, { message }: Invalid): Report<ApiKeyResource> {
  const { powers, kept } = powersOf(view, view.storedKeys[0] ?? null);
  return withKeys(notReady(stalled('Refused', message)), view, powers, [...kept, ...keptTemplate(view)]);
}

/** Finds the resource's Secret, the stored key whose value is in the Secret, and the key before the last rotation. */
function keysOf(view: ApiKeyView) {
  const { secret, storedKeys, keyInSecret } = view;
  const ours = secret?.isOurs ? secret : null;
  const currentId = ours !== null && typeof keyInSecret === 'object' ? keyInSecret.id : null;
  const current = storedKeys.find(({ id }) => id === currentId) ?? null;
  return { ours, current, retiring: ours === null ? null : retiringKey(view, current) };
}

/**
 * Reports a team that has reached its maximum number of keys. If the Secret contained a key that cannot be stored, every pod that starts
 * would fail to sign in.
 */
function noRoom(outcome: string): Report<ApiKeyResource> {
  const message = `the team has reached its limit of ${limits.owned.apiKeys} API keys, so ${outcome}: delete an unused key`;
  return { ...notReady(stalled('Refused', message)), limits: ['owned.apiKeys'] };
}

/** The powers are unknown, so no key can be created. */
function unknownPowers({ resource, lacking }: ApiKeyView): string[] {
  const { spec } = resource;
  if (isUncertain(resource)) return spec.scope === undefined ? ['scope'] : [];
  return powerFields.filter((field) => spec[field] === undefined && lacking.includes(field));
}

function hasPowers(key: ApiKey, { scope, expiresAt }: Powers): boolean {
  return key.scope === scope && key.expiresAt?.getTime() === expiresAt?.getTime();
}

function changeOf(key: ApiKey, { scope, expiresAt }: Powers): ApiKeyEffect {
  const isSameEnd = key.expiresAt?.getTime() === expiresAt?.getTime();
  const set = { ...(key.scope !== scope && { scope }), ...(!isSameEnd && { expiresAt }) };
  return { do: 'change-key', id: key.id, set };
}

/**
 * Adds to a report what a later reconciliation needs to know about a rotation, and the powers, which must be known even after the key is
 * gone.
 */
function withKeys(
  report: Report<ApiKeyResource>,
  view: ApiKeyView,
  { scope, expiresAt }: Powers,
  kept: Kept[],
): Report<ApiKeyResource> {
  const { current, retiring } = keysOf(view);
  const end = expiresAt !== null && { expiresAt: expiresAt.toISOString() };
  const fields = { ...rotationFields(view, current, retiring), ...report.fields, scope, ...end };
  return { ...report, fields, kept };
}

/** Returns the findings about a template with unknown placeholders, or null if the template is valid. */
function templateFindings({ resource, address }: ApiKeyView): Finding[] | null {
  const { spec, metadata } = resource;
  const faults = faultsOf(spec.template);
  if (faults.length > 0) {
    const message = `${faults.join('; ')}: a template can contain only ${knownPlaceholders}. The Secret is unchanged`;
    return stalled('UnknownPlaceholder', message);
  }
  if (address !== null || !usesAddress(spec)) return null;
  const message = `spec.template uses {{address}}, but no account in the namespace ${metadata.namespace} can provide it (*@… accounts and Inboxes do not count): create an Account there`;
  return waiting('AddressMissing', message);
}

function upToDate(view: ApiKeyView, current: ApiKey, retiring: ApiKey | null): Report<ApiKeyResource> {
  const { resource, now } = view;
  const secretName = secretNameOf(resource);
  const rotatesAt = rotationTime(view, current);
  const times = [current.expiresAt, rotatesAt, retiring?.expiresAt ?? null].filter((time) => time !== null);
  const earlier = retiring?.expiresAt
    ? `, and the previous key works until ${timeOf(retiring.expiresAt)}`
    : '';
  return reportOf(
    { tokenId: current.id, secretName, ...(rotatesAt && { rotatesAt: rotatesAt.toISOString() }) },
    ready('Stored', `the Secret ${secretName} contains the key${earlier}`),
    // Bounded: at most three points in time.
    Math.min(recheckMs, ...times.map((time) => time.getTime() - now.getTime())),
  );
}
