/** Most characters of a path to return to. The cookie that keeps it has room for 4,096. */
const mostCharacters = 1024;
const host = 'http://local.invalid';

/**
 * Returns a path of this host, with its query and fragment, as browsers read it. Returns `/` for everything else, such as
 * `//elsewhere.example` and `/\elsewhere.example`, by which a link could lead to another site.
 */
export function localPath(text: string): string {
  if (!text.startsWith('/') || !URL.canParse(text, host)) return '/';
  const { origin, pathname, search, hash } = new URL(text, host);
  const path = `${pathname}${search}${hash}`;
  // A path such as `/.//elsewhere.example` begins with two slashes only after it was read.
  return origin !== host || path.startsWith('//') || path.length > mostCharacters ? '/' : path;
}
