/**
 * First segments of the paths that the API and the page serve. A proxy may remove the base URL's path or leave it: these segments
 * show which.
 */
const segments = [
  ...['', 'api', 'assets', 'clients', 'image-check', 'invitations', 'llms.txt', 'mail', 'manage', 'mcp'],
  ...['providers', 'readyz', 'skills', 'team'],
  ...['email', 'healthz', 'livez', 'view'],
];

/** Segments that a base path may begin with: the page's, and those of other mail catchers' APIs. */
const pageSegments = ['mail', 'manage', 'team', 'email', 'healthz', 'livez', 'view'];

/** Returns a path's first segment, with or without a query. */
const firstOf = (path: string) => /^\/?([^/?#]*)/.exec(path)?.[1] ?? '';

/** Checks by its first segment whether a path is one of ours. */
function isOwnPath(path: string): boolean {
  return segments.includes(firstOf(path));
}

/** Returns a base URL's path, or an empty string if it has none. Throws an error of one sentence for a path that cannot be used. */
export function basePathOf(baseUrl: string): string {
  const { pathname, search, hash } = new URL(baseUrl);
  // Bounded: a setting.
  const path = pathname.replace(/\/+$/, '');
  const [first = ''] = path.slice(1).split('/');
  if (search !== '' || hash !== '') throw new Error('must not have a query or fragment after its path');
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(path))
    throw new Error('must have a path that contains only letters, digits and the characters - . _ ~');
  if (first !== '' && isOwnPath(path) && !pageSegments.includes(first))
    throw new Error(`must not have a path that begins with /${first}, which Sandpost reserves`);
  return path;
}

/**
 * Removes the base URL's path from a request's path if a proxy has left it there. `/mail` is also a path of the page, so what
 * follows the base path must be one of ours.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') && isOwnPath(rest) ? rest : url;
}
