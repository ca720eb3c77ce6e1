import type { ApiClient } from './api-client.ts';
import { Informer, type InformerOptions, type ListWatch } from './informer.ts';
import type { Resource } from './resource.ts';

/** Lists and watches the namespaces that match a label selector. */
export const listWatchNamespaces = (client: Pick<ApiClient, 'get' | 'watch'>, labelSelector: string) =>
  listWatchAt<Resource>(client, '/api/v1/namespaces', { labelSelector }, (namespace) => namespace);

/** Called like an Informer's `onError`, with the name of the objects that it lists. */
export type OnError = (what: string, error: unknown) => void;

/**
 * Creates an Informer for each named namespace, or a single Informer for all namespaces if none is named. `what` names the listed
 * objects.
 */
export function informersIn<R extends Resource>(
  namespaces: string[],
  what: string,
  sourceOf: (namespace: string | null) => ListWatch<R>,
  { onError, ...options }: Omit<InformerOptions<R>, 'source' | 'onError'> & { onError: OnError },
) {
  const scopes = namespaces.length === 0 ? [null] : namespaces;
  return scopes.map((namespace) => ({
    namespace,
    informer: new Informer<R>({
      ...options,
      source: sourceOf(namespace),
      onError: (error) => onError(`${what} in ${namespace ?? 'all namespaces'}`, error),
    }),
  }));
}

/** Path of core objects in one namespace or in all of them. */
export const corePath = (plural: string, namespace: string | null) =>
  namespace === null ? `/api/v1/${plural}` : `/api/v1/namespaces/${namespace}/${plural}`;

type ListPage<R> = { items: R[]; metadata: { resourceVersion: string; continue?: string } };

const pageSize = 500;

/** Lists and watches the objects at a path that match a query. `partsOf` returns the parts of an object to keep. */
export function listWatchAt<R extends Resource>(
  { get, watch }: Pick<ApiClient, 'get' | 'watch'>,
  path: string,
  query: Record<string, string>,
  partsOf: (object: R) => R,
): ListWatch<R> {
  return {
    async list() {
      const items: R[] = [];
      let token = '';
      for (;;) {
        const paging = new URLSearchParams({ ...query, limit: String(pageSize), continue: token });
        const page = await get<ListPage<R>>(`${path}?${paging}`);
        for (const item of page.items) items.push(partsOf(item));
        token = page.metadata.continue ?? '';
        if (token === '') return { items, resourceVersion: page.metadata.resourceVersion };
      }
    },
    watch: (resourceVersion, onEvent, onEnd) =>
      watch.watch(
        path,
        { ...query, resourceVersion, allowWatchBookmarks: true },
        (type: string, object: R) => onEvent(type, type === 'ERROR' ? object : partsOf(object)),
        onEnd,
      ),
  };
}
