/** Path below which a proxy serves the page, as the server wrote it into the document. Empty if there is no such path or no document. */
export const basePath: string =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** Server address that clients use, without a trailing slash. */
export const ownAddress = (): string => location.origin + basePath;

/** Removes the base path from a location's path. For a path outside the base path, returns `//`, which is not a valid place. */
export function withoutBase(pathname: string): string {
  if (pathname === basePath) return '/';
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '//';
}
