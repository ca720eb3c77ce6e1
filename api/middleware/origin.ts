/** The headers that tell where a request comes from; absent ones are ''. */
export type RequestOrigin = { secFetchSite: string; origin: string };

/**
 * Lets a request use the session cookie if it comes from a page of ours or from a client that is no browser. Browsers send
 * Origin with every unsafe method: a request without either header comes from no foreign page.
 */
export function mayUseCookie({ secFetchSite, origin }: RequestOrigin, allowedOrigins: string[]): boolean {
  if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === '' || allowedOrigins.includes(origin.toLowerCase());
}
