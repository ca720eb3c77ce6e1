import type { ApiClient } from './api-client.ts';
import type { ListWatch } from './informer.ts';
import type { Resource } from './resource.ts';

/** Lists and watches the namespaces that a label selector matches. */
export function listWatchNamespaces(
  { core, watch }: Pick<ApiClient, 'core' | 'watch'>,
  labelSelector: string,
): ListWatch<Resource> {
  return {
    async list() {
      const { items, metadata } = await core.listNamespace({ labelSelector });
      const resourceVersion = metadata?.resourceVersion ?? '';
      return { items: items as unknown as Resource[], resourceVersion };
    },
    watch: (resourceVersion, onEvent, onEnd) => {
      const query = { resourceVersion, labelSelector, allowWatchBookmarks: true };
      return watch.watch('/api/v1/namespaces', query, onEvent, onEnd);
    },
  };
}
