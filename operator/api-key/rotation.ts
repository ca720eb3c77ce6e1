import type { ApiKey } from '#core/access/access.ts';
import { isExpired } from '#core/access/api-keys.ts';
import { durationMs } from '../duration.ts';
import type { FieldsOf } from '../runtime/resource.ts';
import type { ApiKeyResource, ApiKeyView, Powers } from './view.ts';

/** Returns the time at which a new key replaces the key in the Secret, or null if there is no rotation. */
export function rotationTime({ resource }: ApiKeyView, { createdAt }: ApiKey): Date | null {
  const { rotateAfter } = resource.spec;
  return rotateAfter === undefined ? null : new Date(createdAt.getTime() + durationMs(rotateAfter));
}

function isDueBy(view: ApiKeyView, key: ApiKey, time: Date): boolean {
  const due = rotationTime(view, key);
  return due !== null && due <= time;
}

export const isDue = (view: ApiKeyView, key: ApiKey): boolean => isDueBy(view, key, view.now);

/** Maximum clock difference in ms between two leaders that a rotation tolerates. */
const skewMs = 60_000;

/**
 * Returns the key that was in the Secret before the last rotation and still works, or null. `current` is the stored key whose value is in
 * the Secret, or null until that key is stored. If somebody deletes or breaks a Secret, both keys end. The status describes a rotation
 * that began under an earlier spec.
 */
export function retiringKey(view: ApiKeyView, current: ApiKey | null): ApiKey | null {
  const { storedKeys, keyInSecret, resource, now } = view;
  const { tokenId, rotatesAt, previousTokenId } = resource.status ?? {};
  if (current === null && keyInSecret !== 'unknown') return null;
  const others = storedKeys.filter(({ id }) => id !== current?.id);
  const latest = others.reduce<ApiKey | null>((last, key) => (last && last.id > key.id ? last : key), null);
  if (latest === null || isExpired(latest, now)) return null;
  if (latest.id === previousTokenId) return latest;
  const rotation = new Date((current?.createdAt ?? now).getTime() + skewMs);
  const wasDue = latest.id === tokenId && rotatesAt !== undefined && new Date(rotatesAt) <= rotation;
  return wasDue || isDueBy(view, latest, rotation) ? latest : null;
}

/** Returns the status fields by which a later reconciliation recognizes a rotation, even if the spec has changed. */
export function rotationFields(
  view: ApiKeyView,
  current: ApiKey | null,
  retiring: ApiKey | null,
): FieldsOf<ApiKeyResource> {
  const { status } = view.resource;
  const isKnown = retiring !== null && (current !== null || retiring.id === status?.previousTokenId);
  const previous = isKnown &&
    retiring.expiresAt !== null && {
      previousTokenId: retiring.id,
      previousExpiresAt: retiring.expiresAt.toISOString(),
    };
  const key = current ?? (isKnown ? null : retiring);
  if (key === null) return { ...previous };
  const kept = current === null && key.id === status?.tokenId ? status.rotatesAt : undefined;
  // The earlier of the two times has passed.
  const [rotatesAt] = [kept, rotationTime(view, key)?.toISOString()]
    .filter((time) => time !== undefined)
    .sort();
  return { ...previous, ...(rotatesAt !== undefined && { tokenId: key.id, rotatesAt }) };
}

/**
 * Returns the powers of the key that `current` has replaced: the scope of `current`, and an expiration one `rotateAfter` after the
 * rotation. Pods read variables from a Secret only when they start, so the earlier key works until the next rotation. A later change of
 * the spec never postpones the expiration. If the spec no longer has a rotation, the status describes the last one.
 */
export function retiringPowers(view: ApiKeyView, retiring: ApiKey, current: ApiKey, powers: Powers): Powers {
  const { previousTokenId, rotatesAt } = view.resource.status ?? {};
  const isKnown = previousTokenId === retiring.id;
  const lastMs = rotatesAt === undefined ? 0 : Date.parse(rotatesAt) - retiring.createdAt.getTime();
  const next = rotationTime(view, current) ?? new Date(current.createdAt.getTime() + lastMs);
  const end = isKnown ? retiring.expiresAt : next;
  const ends = [end, powers.expiresAt].filter((time) => time !== null);
  const [first = null] = ends.sort((one, other) => one.getTime() - other.getTime());
  return { scope: powers.scope, expiresAt: first };
}
