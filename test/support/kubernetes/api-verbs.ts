import type { Call } from './api-proxy.ts';

const readAndWrite: Record<string, string> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** What calls ask for, as RBAC names it, sorted: `patch sandpost.dev/domains/status`. Calls for no resource are left out. */
export function verbsOf(calls: Call[]): string[] {
  return [...new Set(calls.map(verbOf).filter((verb) => verb !== null))].sort();
}

/** By the rules of Kubernetes: a path is /api or /apis, a group, a version, a namespace, a resource, its name, its part. */
function verbOf({ method, path, isWatch }: Call): string | null {
  const [, core, group = '', place = ''] =
    /^\/(?:(api)\/v1|apis\/([^/]+)\/[^/]+)\/(.*)/.exec(path.replace(/\?.*/, '')) ?? [];
  if (core === undefined && group === '') return null;
  const [resource, name, part] = place.replace(/^namespaces\/[^/]+\/(?=.)/, '').split('/');
  const reading = isWatch ? 'watch' : name === undefined ? 'list' : 'get';
  const target = part === undefined ? resource : `${resource}/${part}`;
  return `${readAndWrite[method] ?? reading} ${group}/${target}`;
}
