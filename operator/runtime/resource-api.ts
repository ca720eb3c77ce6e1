import { type ApiClient, applying, merging } from './api-client.ts';
import { orNull, unlessConflict } from './api-errors.ts';
import type { ListWatch } from './informer.ts';
import { listWatchAt } from './list-watch.ts';
import { type Key, keyOf, type Resource, type Status } from './resource.ts';

/** API group of an operator's kinds. */
export type ApiGroup = {
  group: string;
  version: string;
  finalizer: string;
  /** Writer that `managedFields` names. */
  fieldManager: string;
};

/** Reads and writes resources of one API group. Throws the API server's errors. */
export type ResourceApi = ReturnType<typeof createResourceApi>;

/** `plurals` maps each kind to its name in paths. */
export function createResourceApi(
  client: Pick<ApiClient, 'custom' | 'get' | 'watch'>,
  { group, version, finalizer, fieldManager }: ApiGroup,
  plurals: ReadonlyMap<string, string>,
) {
  const { custom } = client;
  const collectionOf = (kind: string) => {
    const plural = plurals.get(kind);
    if (plural === undefined) throw new Error(`the kind ${kind} has no plural name`);
    return { group, version, plural };
  };
  const pathOf = ({ kind, namespace, name }: Key) => ({ ...collectionOf(kind), namespace, name });
  const setFinalizers = <R extends Resource>(resource: R, finalizers: string[]): Promise<R> => {
    const { resourceVersion } = resource.metadata;
    const body = { metadata: { resourceVersion, finalizers } };
    return custom.patchNamespacedCustomObject({ ...pathOf(keyOf(resource)), body, fieldManager }, merging);
  };
  const othersOf = ({ metadata: { finalizers = [] } }: Resource) =>
    finalizers.filter((name) => name !== finalizer);
  return {
    /** Lists and watches one kind in one namespace, or in all namespaces if `namespace` is null. */
    listWatch<R extends Resource>(kind: R['kind'], namespace: string | null): ListWatch<R> {
      const folder = namespace === null ? '' : `/namespaces/${namespace}`;
      const path = `/apis/${group}/${version}${folder}/${collectionOf(kind).plural}`;
      // Items of a list lack their kind.
      return listWatchAt<R>(client, path, {}, (item) => ({ ...item, kind }));
    },
    /** Reads a resource's current state, or null if it does not exist. */
    read: (key: Key) => orNull<Resource>(custom.getNamespacedCustomObject(pathOf(key))),
    /** Adds the group's finalizer. Fails with 409 if the resource has changed since it was read. */
    addFinalizer: <R extends Resource>(resource: R) =>
      setFinalizers(resource, [...othersOf(resource), finalizer]),
    /** Removes the group's finalizer. Fails like `addFinalizer`. */
    removeFinalizer: <R extends Resource>(resource: R) => setFinalizers(resource, othersOf(resource)),
    /** Deletes a resource. Does nothing if it no longer exists or another resource has its name. */
    async remove(resource: Resource): Promise<void> {
      const { uid } = resource.metadata;
      const body = { preconditions: { uid } };
      const deletion = custom.deleteNamespacedCustomObject({ ...pathOf(keyOf(resource)), body });
      await unlessConflict(orNull(deletion));
    },
    /** Sets the status fields that this operator owns. Leaves other owners' fields unchanged. */
    applyStatus<R extends Resource>(resource: R, status: Status): Promise<R> {
      const { kind, metadata } = resource;
      // With the UID, the API server rejects the status if the resource was deleted and another was created with the same name.
      const { namespace, name, uid } = metadata;
      const body = { apiVersion: `${group}/${version}`, kind, metadata: { namespace, name, uid }, status };
      return custom.patchNamespacedCustomObjectStatus(
        { ...pathOf(keyOf(resource)), body, fieldManager, force: true },
        applying,
      );
    },
  };
}
