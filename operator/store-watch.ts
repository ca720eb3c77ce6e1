import type { Kind } from './kind.ts';
import type { Kinds } from './kinds.ts';
import { keyOfManager } from './manager.ts';
import { pause } from './runtime/pause.ts';
import type { Key } from './runtime/resource.ts';

type Ports = {
  kinds: Kinds;
  /** Called with the resource of each object that has changed. */
  onChange: (key: Key) => void;
  onError: (error: unknown) => void;
};

/** Polls the managed objects in the store for changes until `signal` is aborted. */
export async function watchStore(ports: Ports, signal: AbortSignal): Promise<void> {
  await Promise.all([...ports.kinds.values()].map((kind) => poll(ports, kind, signal)));
}

async function poll(
  { onChange, onError }: Ports,
  { name, objects }: Kind,
  signal: AbortSignal,
): Promise<void> {
  if (objects.poll === null) return;
  const { everyMs, fingerprints } = objects.poll;
  let known: Map<string, string> | null = null;
  while (!signal.aborted) {
    try {
      const found = new Map((await fingerprints()).map(({ managedBy, state }) => [managedBy ?? '', state]));
      // The first poll reports no change, since a new leader reconciles all resources anyway.
      for (const manager of known === null ? [] : changed(known, found))
        onChange(keyOfManager(name, manager));
      known = found;
    } catch (error) {
      onError(error);
    }
    await pause(everyMs, signal);
  }
}

/** Keys whose value is new, changed or gone. */
function changed(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  );
}
