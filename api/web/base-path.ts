/**
 * Path below which a proxy serves the page, as the server has written it into the document. Empty without one, and where there is no
 * document.
 */
export const basePath: string =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** Address of the server as clients use it, without a slash at its end. */
export const ownAddress = (): string => location.origin + basePath;

/** Removes the base path from a path of the location. Returns `//`, which is no place, for one outside of it. */
export function withoutBase(pathname: string): string {
  if (pathname === basePath) return '/';
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '//';
}
