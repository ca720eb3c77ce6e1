import { isDeepStrictEqual } from 'node:util';
import type { RowReader } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import type { ManagedKind } from '#core/managers/manager.ts';
import { allOf } from '#core/page.ts';
import type { Kind, Listed, Objects, StoredObject } from './kind.ts';
import { type Kinds, withObjects } from './kinds.ts';
import { keyOfManager, kindOfManager } from './manager.ts';
import { ignoreNotFound } from './objects.ts';
import { retainedObjects } from './retention.ts';
import { pause } from './runtime/backoff.ts';
import { changedKeys, type Key, keyOf, type Resource } from './runtime/resource.ts';
import type { Tenant } from './tenants.ts';

/** Object in the store that a resource manages, or all of a namespace's objects. */
export type ManagedObject = Pick<StoredObject, 'owner' | 'id' | 'name'> & {
  kind: ManagedKind;
  namespace: string;
  /** Resource that manages the object, or null if the object stands for all of a namespace's objects. */
  key: Key | null;
  /** False for an object whose manager is a resource of another kind. Its mark only keeps earlier releases from removing the object. */
  mayBeRetained: boolean;
  /**
   * Returns true for the resource that manages the object, and false for a resource that has the same name but stands for another object.
   */
  isManagedBy(resource: Resource | null | undefined): boolean;
  remove(): Promise<void>;
};

/** Returns a function that returns false for an object whose manager names another kind. */
const isOf =
  (kind: string) =>
  ({ managedBy }: { managedBy: string | null }) =>
    (kindOfManager(managedBy) ?? kind) === kind;

/** Lists tenants' objects that have a manager, including objects whose resources no longer exist. */
export async function listManagedObjects(kinds: Kinds, tenants: Tenant[]): Promise<ManagedObject[]> {
  const owners = new Set(tenants.map(({ owner }) => owner));
  const lists = withObjects(kinds).map(async (kind) => {
    const own = (await kind.objects.list(owners)).filter(isOf(kind.name));
    return own
      .filter(({ owner }) => owners.has(owner))
      .map((object) => managedObject(kind, kind.objects, object));
  });
  return (await Promise.all(lists)).flat();
}

/** Represents all of a namespace's objects as one object, including those that people created through the API. */
export function objectsOfTenant(kinds: Kinds, rows: RowReader, { owner, namespace }: Tenant): ManagedObject {
  return {
    ...{ owner, kind: 'team', id: owner, name: null, namespace, key: null, mayBeRetained: true },
    isManagedBy: () => false,
    remove: () => removeAll(kinds, rows, owner),
  };
}

/** Removes all of an owner's objects except those that are retained. */
export async function removeAll(kinds: Kinds, rows: RowReader, owner: Id): Promise<void> {
  const isRetained = await retainedObjects(rows);
  for (const { objects } of withObjects(kinds)) {
    const { kind, listAll = async () => ({ items: [], total: 0 }), remove } = objects;
    const rest = async () => {
      const all = await allOf<Listed>((page) => listAll(owner, page));
      return all.filter(({ id }) => !isRetained(kind, id));
    };
    await objects.removeAll?.(owner);
    for (let items = await rest(); items.length > 0; items = await rest())
      for (const one of items) await remove({ ...one, owner, name: null }).catch(ignoreNotFound);
  }
}

function managedObject(
  kind: Pick<Kind, 'name' | 'nameOf'>,
  objects: Objects,
  object: StoredObject,
): ManagedObject {
  const { owner, id, name, managedBy } = object;
  const key = keyOfManager(kind.name, managedBy);
  return {
    ...{ owner, kind: objects.kind, id, name, namespace: key.namespace, key },
    mayBeRetained: kindOfManager(managedBy) === null,
    isManagedBy: (resource) =>
      resource != null && isDeepStrictEqual(keyOf(resource), key) && kind.nameOf(resource) === name,
    remove: () => objects.remove(object).catch(ignoreNotFound),
  };
}

type WatchPorts = {
  kinds: Kinds;
  /** Called with the resource of each object that has changed. */
  onChange: (key: Key) => void;
  onError: (error: unknown) => void;
};

/** Maximum delay in ms until a resource's status shows a change of its object. */
const pollMs = 3_000;

/** Watches the store until `signal` is aborted for changes that concern resources: listens to some kinds, and polls managed objects. */
export async function watchManagedObjects(ports: WatchPorts, signal: AbortSignal): Promise<void> {
  const { kinds, onChange } = ports;
  await Promise.all([
    ...[...kinds.values()].map(({ listener }) => listener?.listen(onChange, signal)),
    ...withObjects(kinds).map(({ name, objects }) => poll(ports, name, objects, signal)),
  ]);
}

async function poll(
  { onChange, onError }: WatchPorts,
  name: string,
  { isPolled, list }: Objects,
  signal: AbortSignal,
): Promise<void> {
  if (!isPolled) return;
  let known: Map<string, string> | null = null;
  while (!signal.aborted) {
    try {
      const own = (await list([])).filter(isOf(name));
      const found = new Map(
        own.map(({ managedBy, stateOf }) => [managedBy ?? '', JSON.stringify(stateOf?.())]),
      );
      // The first poll does not report changes, because a new leader reconciles all resources anyway.
      for (const manager of known === null ? [] : changedKeys(known, found))
        onChange(keyOfManager(name, manager));
      known = found;
    } catch (error) {
      onError(error);
    }
    await pause(pollMs, signal);
  }
}
