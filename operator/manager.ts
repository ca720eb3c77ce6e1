import type { ResourceReader } from './reconcile.ts';
import type { Key, Resource } from './runtime/resource.ts';

/** Returns the manager of an object in the store: the `namespace/name` of its resource. */
export function managerOf({ namespace, name }: { namespace: string; name: string }): `${string}/${string}` {
  return `${namespace}/${name}`;
}

/**
 * Manager of an object that is not of its resource's kind: `namespace/name/kind`. Accounts and ApiKeys with the same name do not claim
 * such an object.
 */
export function managerOfOtherKind({ kind, metadata }: Resource): string {
  return `${managerOf(metadata)}/${kind}`;
}

/** Returns the kind that a manager names, or null if the resource is of the object's own kind. */
export function kindOfManager(manager: string | null): string | null {
  return manager?.split('/')[2] ?? null;
}

/** Returns the resource that a manager names. */
export function keyOfManager(kind: string, manager: string | null): Key {
  const [namespace = '', name = ''] = (manager ?? '').split('/');
  return { kind, namespace, name };
}

/**
 * Returns true if the resource that manages a stored object no longer exists, so `resource` may manage the object instead. `standsFor`
 * recognizes a resource of the same kind that stands for the object. A resource that has the same name but stands for another object does
 * not count.
 */
export async function isAbandoned<R extends Resource>(
  resources: ResourceReader,
  resource: R,
  stored: { managedBy: string | null } | null,
  standsFor: (other: R) => boolean,
): Promise<boolean> {
  const managedBy = stored?.managedBy ?? null;
  if (managedBy === null || managedBy === managerOf(resource.metadata)) return false;
  if ((kindOfManager(managedBy) ?? resource.kind) !== resource.kind) return false;
  const other = await resources.read(keyOfManager(resource.kind, managedBy));
  return other === null || !standsFor(other as R);
}
