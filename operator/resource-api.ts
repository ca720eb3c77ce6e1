import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { orNull } from './api-errors.ts';
import type { ListWatch } from './informer.ts';
import {
  finalizer,
  group,
  type Key,
  type Kind,
  plurals,
  type Resource,
  type ResourceOfKind,
  type Status,
  version,
} from './resources.ts';

/** Who writes, as `managedFields` shows it. */
const fieldManager = 'sandpost-operator';
const pageSize = 500;

/** Reads and writes our resources. Errors are the API server's. */
export type ResourceApi = {
  /** Lists and watches one kind, in one namespace or (null) in all. */
  listWatch<K extends Kind>(kind: K, namespace: string | null): ListWatch<ResourceOfKind<K>>;
  /** The resource as it is now, or null. */
  read(key: Key): Promise<Resource | null>;
  /** Puts our finalizer on, or takes it off; refused (409) where the resource has changed since it was read. */
  setHeld<R extends Resource>(resource: R, held: boolean): Promise<R>;
  /** Makes `status` what we say of it, and leaves alone what others say. */
  applyStatus<R extends Resource>(resource: R, status: Status): Promise<R>;
};

export function createResourceApi({ custom, watch }: ApiClient): ResourceApi {
  const pathOf = ({ kind, namespace, name }: Key) => ({
    ...{ group, version, plural: plurals[kind], namespace, name },
  });
  const keyIn = ({ kind, metadata: { namespace, name } }: Resource): Key => ({ kind, namespace, name });
  return {
    listWatch<K extends Kind>(kind: K, namespace: string | null): ListWatch<ResourceOfKind<K>> {
      const of = { group, version, plural: plurals[kind] };
      const folder = namespace === null ? '' : `/namespaces/${namespace}`;
      const path = `/apis/${group}/${version}${folder}/${of.plural}`;
      return {
        async list() {
          const items: ResourceOfKind<K>[] = [];
          let token: string | undefined;
          for (;;) {
            const paging = { limit: pageSize, ...(token === undefined ? {} : { _continue: token }) };
            const page: ListPage<ResourceOfKind<K>> =
              namespace === null
                ? await custom.listCustomObjectForAllNamespaces({
                    ...of,
                    resourcePlural: of.plural,
                    ...paging,
                  })
                : await custom.listNamespacedCustomObject({ ...of, namespace, ...paging });
            // Items of a list say neither their kind nor their version.
            items.push(...page.items.map((item) => ({ ...item, kind }) as ResourceOfKind<K>));
            token = page.metadata.continue || undefined;
            if (token === undefined) return { items, resourceVersion: page.metadata.resourceVersion };
          }
        },
        watch: (resourceVersion, onEvent, onEnd) =>
          watch.watch(path, { resourceVersion, allowWatchBookmarks: true }, onEvent, onEnd),
      };
    },
    read: (key) => orNull<Resource>(custom.getNamespacedCustomObject(pathOf(key))),
    setHeld(resource, held) {
      const { resourceVersion, finalizers = [] } = resource.metadata;
      const others = finalizers.filter((name) => name !== finalizer);
      const body = { metadata: { resourceVersion, finalizers: held ? [...others, finalizer] : others } };
      return custom.patchNamespacedCustomObject(
        { ...pathOf(keyIn(resource)), body, fieldManager },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
    },
    applyStatus(resource, status) {
      const { apiVersion, kind } = { apiVersion: `${group}/${version}`, kind: resource.kind };
      // The uid: a resource of the same name that was made since is another one.
      const { namespace, name, uid } = resource.metadata;
      const body = { apiVersion, kind, metadata: { namespace, name, uid }, status };
      return custom.patchNamespacedCustomObjectStatus(
        { ...pathOf(keyIn(resource)), body, fieldManager, force: true },
        setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
      );
    },
  };
}

type ListPage<R> = { items: R[]; metadata: { resourceVersion: string; continue?: string } };
