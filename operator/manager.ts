import type { Key } from './runtime/resource.ts';

/** Manager of an object in the store: `namespace/name` of the resource. */
export function managerOf({ namespace, name }: { namespace: string; name: string }): `${string}/${string}` {
  return `${namespace}/${name}`;
}

/** Resource that a manager names. */
export function keyOfManager(kind: string, manager: string | null): Key {
  const [namespace = '', name = ''] = (manager ?? '').split('/');
  return { kind, namespace, name };
}
