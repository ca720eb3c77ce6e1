import type { ResourceReader } from './reconcile.ts';
import type { Key, Resource } from './runtime/resource.ts';

/** Manager of an object in the store: the resource's `namespace/name`. */
export function managerOf({ namespace, name }: { namespace: string; name: string }): `${string}/${string}` {
  return `${namespace}/${name}`;
}

/**
 * Manager of an object whose resource is of another kind than the object: `namespace/name/kind`. No Account or ApiKey with the
 * same name claims such an object.
 */
export function managerOfOtherKind({ kind, metadata }: Resource): string {
  return `${managerOf(metadata)}/${kind}`;
}

/** Kind that a manager names, or null if the resource has the object's kind. */
export function kindOfManager(manager: string | null): string | null {
  return manager?.split('/')[2] ?? null;
}

/** Resource that a manager names. */
export function keyOfManager(kind: string, manager: string | null): Key {
  const [namespace = '', name = ''] = (manager ?? '').split('/');
  return { kind, namespace, name };
}

/**
 * Returns true if the resource that manages a stored object is missing, so `resource` may manage it instead. `standsFor` recognizes a
 * resource of the same kind that stands for the object. A resource with the same name that stands for another object does not count.
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
