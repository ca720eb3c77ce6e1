import type { Call } from './api-proxy.ts';

const readAndWrite: Record<string, string> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Returns the RBAC rights that calls need, sorted: `patch sandpost.dev/domains/status`. Skips non-resource calls. */
export function verbsOf(calls: Call[]): string[] {
  return [...new Set(calls.map(verbOf).filter((verb) => verb !== null))].sort();
}

/** Parses a path by Kubernetes rules: /api or /apis, group, version, namespace, resource, name, subresource. */
function verbOf({ method, path, isWatch }: Call): string | null {
  const [, core, group = '', place = ''] =
    /^\/(?:(api)\/v1|apis\/([^/]+)\/[^/]+)\/(.*)/.exec(path.replace(/\?.*/, '')) ?? [];
  if (core === undefined && group === '') return null;
  const [resource, name, part] = place.replace(/^namespaces\/[^/]+\/(?=.)/, '').split('/');
  const reading = isWatch ? 'watch' : name === undefined ? 'list' : 'get';
  const target = part === undefined ? resource : `${resource}/${part}`;
  return `${readAndWrite[method] ?? reading} ${group}/${target}`;
}
