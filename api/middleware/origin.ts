/** The headers that tell where a request comes from; absent ones are ''. */
export type RequestOrigin = { secFetchSite: string; origin: string };

/**
 * Whether a request may use the session cookie: one of our own pages, or a client that is no browser (contract 2).
 * Browsers send Origin with every unsafe method, so that neither header there means no page of another's.
 */
export function mayUseCookie({ secFetchSite, origin }: RequestOrigin, allowedOrigins: string[]): boolean {
  if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === '' || allowedOrigins.includes(origin.toLowerCase());
}
