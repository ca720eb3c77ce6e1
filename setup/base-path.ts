/**
 * First segments of the paths that the API and the page serve. A proxy removes the path of the base URL, or leaves it: the rest of a path
 * tells by these.
 */
const segments = [
  ...['', 'api', 'assets', 'clients', 'image-check', 'invitations', 'llms.txt', 'mail', 'manage', 'mcp'],
  ...['providers', 'readyz', 'skills', 'team'],
  ...['email', 'healthz', 'livez', 'view'],
];

/** Segments that a base path may begin with: those of the page, and those of other mail catchers' APIs. */
const pageSegments = ['mail', 'manage', 'team', 'email', 'healthz', 'livez', 'view'];

/** Returns the first segment of a path, with or without a query. */
const firstOf = (path: string) => /^\/?([^/?#]*)/.exec(path)?.[1] ?? '';

/** Checks whether a path is one of ours, as far as its first segment tells. */
function isOwnPath(path: string): boolean {
  return segments.includes(firstOf(path));
}

/** Returns the path of a base URL, empty for none. Throws an error of one sentence for one that cannot be used. */
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
 * Removes the path of the base URL from that of a request, if a proxy has left it there. `/mail` is a path of the page too, and so what
 * is behind the base path has to be one of ours.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') && isOwnPath(rest) ? rest : url;
}
