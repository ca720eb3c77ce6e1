import { newSecret } from '#core/access/secrets.ts';
import type { Id } from '#core/ids.ts';
import { ignoreNotFound } from './objects.ts';
import type { RepairBackoff } from './repair-backoff.ts';
import type { Announcement } from './runtime/event-recorder.ts';
import type { ResourceOf } from './runtime/resource.ts';
import { revoke, secretNameOf } from './secret-keys.ts';
import { keyEntry, type Secrets, type SecretView } from './secrets.ts';

/** Number of repairs that each get their own Event. A single Event covers all further repairs. */
const maxAnnounced = 3;

type View = {
  resource: ResourceOf<string, { secretName?: string }, { tokenId?: number; secretName?: string }>;
  secret: SecretView | null;
  pace: RepairBackoff;
};

/** Write to a Secret, with the Event that announces the write if it is a repair. */
type SecretWrite = { do: 'write-secret'; value: 'new' | 'same'; event?: Announcement };

/** Effects on a Secret, and on a key that is not in any Secret. */
export type KeyEffect =
  | SecretWrite
  | { do: 'inherit-secret' }
  | { do: 'remove-entries'; names: string[] }
  | { do: 'remove-secret' }
  | { do: 'revoke-key'; id: Id };

const effects = ['write-secret', 'inherit-secret', 'remove-entries', 'remove-secret', 'revoke-key'];

export function isOfKey<Other extends { do: string }>(effect: KeyEffect | Other): effect is KeyEffect {
  return effects.includes(effect.do);
}

/** Writes or removes a resource's Secret, or revokes a key. `entriesWith` returns the entries that the Secret has for a key. */
export async function actOnKey(
  ports: Parameters<typeof revoke>[0] & { secrets: Secrets },
  effect: KeyEffect,
  { resource, secret, owner }: Pick<View, 'resource' | 'secret'> & { owner: Id },
  manager: string,
  entriesWith: (key: string) => Record<string, string>,
): Promise<void> {
  const { secrets } = ports;
  const name = secretNameOf(resource);
  if (effect.do === 'revoke-key') await revoke(ports, owner, effect.id, manager).catch(ignoreNotFound);
  else if (effect.do === 'write-secret') {
    const value = effect.value === 'same' ? secret?.data[keyEntry] : undefined;
    await secrets.write(resource, name, entriesWith(value ?? `sp_${newSecret()}`), secret, effect.event);
  } else if (secret === null) return;
  else if (effect.do === 'remove-entries') await secrets.removeEntries(resource, name, effect.names, secret);
  else if (effect.do === 'inherit-secret') await secrets.inherit(resource, name, secret);
  else await secrets.remove(resource, name, secret);
}

/**
 * Returns the write that puts the `wanted` entries into a Secret, with a new key or the existing one. The write is a repair if the Secret
 * was complete before. If there were recent repairs, waits before the next one and leaves the status unchanged.
 */
export function writeOrRepair(
  view: View,
  value: 'new' | 'same',
  wanted: Record<string, string>,
): SecretWrite | { do: 'wait'; ms: number } {
  const { resource, secret, pace } = view;
  const write = { do: 'write-secret', value } as const;
  const damage = wasComplete(view) ? damageOf(view, value, wanted) : null;
  if (damage === null) return write;
  if (pace.pauseMs > 0) return { do: 'wait', ms: pace.pauseMs };
  const name = secretNameOf(resource);
  if (pace.repairs < maxAnnounced) {
    const change = [resource.status?.tokenId, secret?.uid, secret?.revision];
    return { ...write, event: { type: 'Normal', reason: 'SecretRepaired', message: damage, change } };
  }
  const message = `another client changes the Secret ${name} after each repair, so the operator waits up to a minute before the next repair: find and stop the other writer (kubectl get secret ${name} -o yaml --show-managed-fields)`;
  return { ...write, event: { type: 'Warning', reason: 'SecretContested', message, change: message } };
}

/**
 * Checks whether a resource's Secret has these entries and the operator's label. The label counts only once the status is complete: if an
 * admission policy replaces the label of every new Secret, the resource must still become ready.
 */
export function isComplete(
  view: Pick<View, 'resource'>,
  { isLabelled, data }: SecretView,
  wanted: Record<string, string>,
): boolean {
  const hasEntries = Object.entries(wanted).every(([name, value]) => data[name] === value);
  return hasEntries && (isLabelled || !wasComplete(view));
}

/** Checks whether the status says that the Secret was complete for the current spec. */
function wasComplete({ resource }: Pick<View, 'resource'>): boolean {
  const { metadata, status } = resource;
  return (
    status?.tokenId !== undefined &&
    status.secretName === secretNameOf(resource) &&
    status.observedGeneration === metadata.generation
  );
}

/** Describes what others have done to a Secret. Returns null if the operator itself wrote the outdated entries. */
function damageOf({ resource, secret }: View, value: 'new' | 'same', wanted: Record<string, string>) {
  const name = secretNameOf(resource);
  const restart = 'restart pods that use the previous key';
  if (secret === null)
    return `the Secret ${name} was deleted, and the operator recreated it with a new key: ${restart}`;
  if (value === 'new')
    return `${keyEntry} in the Secret ${name} was changed, and the operator wrote a new key: ${restart}`;
  const own = new Set(secret.written);
  // An entry that never existed is due to a new setting or release.
  const entries = Object.keys(wanted).filter(
    (one) => secret.data[one] !== wanted[one] && !own.has(one) && secret.recorded.has(one),
  );
  const parts = [...entries, ...(secret.isLabelled ? [] : ['the label'])];
  return parts.length === 0 ? null : `the operator restored ${parts.join(', ')} in the Secret ${name}`;
}
