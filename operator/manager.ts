import type { ResourceReader } from './reconcile.ts';
import type { Key, Resource } from './runtime/resource.ts';

/** Manager of an object in the store: `namespace/name` of the resource. */
export function managerOf({ namespace, name }: { namespace: string; name: string }): `${string}/${string}` {
  return `${namespace}/${name}`;
}

/**
 * Manager of an object whose resource is of another kind than the object: `namespace/name/kind`. No Account or ApiKey of the same name
 * takes such an object for its own.
 */
export function managerOfOtherKind({ kind, metadata }: Resource): string {
  return `${managerOf(metadata)}/${kind}`;
}

/** Kind that a manager names; null where the resource has the kind of the object. */
export function kindOfManager(manager: string | null): string | null {
  return manager?.split('/')[2] ?? null;
}

/** Resource that a manager names. */
export function keyOfManager(kind: string, manager: string | null): Key {
  const [namespace = '', name = ''] = (manager ?? '').split('/');
  return { kind, namespace, name };
}

/**
 * Returns true where the resource that manages a stored object is missing, so that `resource` may manage it instead. `standsFor`
 * recognizes a resource of the same kind that stands for the object. A namesake that stands for another object does not.
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
