/**
 * First segments of the paths that the API and the page serve. A proxy may or may not remove the base URL's path from a request; these
 * segments show whether it did.
 */
const segments = [
  ...['', 'api', 'assets', 'clients', 'image-check', 'invitations', 'llms.txt', 'mail', 'manage', 'mcp'],
  ...['providers', 'readyz', 'skills', 'team'],
  ...['email', 'healthz', 'livez', 'view'],
];

/** Segments that a base path may begin with: the page's segments, and those of other mail catchers' APIs. */
const pageSegments = ['mail', 'manage', 'team', 'email', 'healthz', 'livez', 'view'];

/** Returns a path's first segment, with or without a query. */
const firstOf = (path: string) => /^\/?([^/?#]*)/.exec(path)?.[1] ?? '';

/** Checks by the first segment whether a path belongs to Sandpost. */
function isOwnPath(path: string): boolean {
  return segments.includes(firstOf(path));
}

/** Returns a base URL's path, or an empty string if the URL has no path. Throws an error of one sentence if the path cannot be used. */
export function basePathOf(baseUrl: string): string {
  const { pathname, search, hash } = new URL(baseUrl);
  // Bounded: the input is a setting.
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
 * Removes the base URL's path from a request's path if a proxy has not removed it. `/mail` is also a path of the page, so the rest of the
 * path must belong to Sandpost.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') && isOwnPath(rest) ? rest : url;
}
