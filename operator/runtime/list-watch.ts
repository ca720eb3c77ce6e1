import type { ApiClient } from './api-client.ts';
import type { ListWatch } from './informer.ts';
import type { Resource } from './resource.ts';

/** Lists and watches the namespaces that a label selector matches. */
export const listWatchNamespaces = (client: Pick<ApiClient, 'get' | 'watch'>, labelSelector: string) =>
  listWatchAt<Resource>(client, '/api/v1/namespaces', { labelSelector }, (namespace) => namespace);

type ListPage<R> = { items: R[]; metadata: { resourceVersion: string; continue?: string } };

const pageSize = 500;

/** Lists and watches the objects at a path that a query selects. `partsOf` returns what to keep of an object. */
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
