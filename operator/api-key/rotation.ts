import type { ApiKey } from '#core/access/access.ts';
import { isExpired } from '#core/access/api-keys.ts';
import { durationMs } from '../duration.ts';
import type { ApiKeyView, Powers } from './view.ts';

/** Returns the time at which another key takes a key's place in the Secret, or null. */
export function rotationTime({ resource }: ApiKeyView, { createdAt }: ApiKey): Date | null {
  const { rotateAfter } = resource.spec;
  return rotateAfter === undefined ? null : new Date(createdAt.getTime() + durationMs(rotateAfter));
}

function isDueBy(view: ApiKeyView, key: ApiKey, time: Date): boolean {
  const due = rotationTime(view, key);
  return due !== null && due <= time;
}

export const isDue = (view: ApiKeyView, key: ApiKey): boolean => isDueBy(view, key, view.now);

/**
 * Returns the key that was in the Secret before the last rotation, and still works; null without one. `current` is the stored key whose
 * value is in the Secret, or null while that is not stored yet. A Secret that people have deleted or broken ends both keys.
 */
export function retiringKey(view: ApiKeyView, current: ApiKey | null): ApiKey | null {
  const { storedKeys, keyInSecret, resource, now } = view;
  if (current === null && keyInSecret !== 'unknown') return null;
  const others = storedKeys.filter(({ id }) => id !== current?.id);
  const latest = others.reduce<ApiKey | null>((last, key) => (last && last.id > key.id ? last : key), null);
  if (latest === null || isExpired(latest, now)) return null;
  if (latest.id === resource.status?.previousTokenId) return latest;
  return isDueBy(view, latest, current?.createdAt ?? now) ? latest : null;
}

/**
 * Returns the powers of a key that `current` has replaced: the scope of that one, and an end one `rotateAfter` after the rotation. Pods read
 * the variables of a Secret at their start alone, so that the earlier key works until the next rotation. A later change of the spec never
 * makes the end later.
 */
export function retiringPowers(view: ApiKeyView, retiring: ApiKey, current: ApiKey, powers: Powers): Powers {
  const isKnown = view.resource.status?.previousTokenId === retiring.id;
  const end = isKnown ? retiring.expiresAt : rotationTime(view, current);
  const ends = [end, powers.expiresAt].filter((time) => time !== null);
  const [first = null] = ends.sort((one, other) => one.getTime() - other.getTime());
  return { scope: powers.scope, expiresAt: first };
}
