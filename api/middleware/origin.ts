/** The headers that tell where a request comes from; absent ones are ''. */
export type RequestOrigin = { secFetchSite: string; origin: string };

/** Longest origin that is told, characters: as many as a host name, with its scheme and port. */
const mostOriginCharacters = 270;

/** Tells why a request may not use the session cookie, and which setting says so. */
export function explainOrigin({ origin }: RequestOrigin, [expected = '']: string[]): string {
  const sent = origin === '' ? 'another site' : origin.slice(0, mostOriginCharacters);
  return (
    `This request comes from a page of ${sent}, and a session counts for pages of ${expected} only, ` +
    'which SANDPOST_BASE_URL says: open Sandpost there, or set SANDPOST_BASE_URL to the address that people open'
  );
}

/**
 * Whether a request may use the session cookie: one of our own pages, or a client that is no browser (contract 2).
 * Browsers send Origin with every unsafe method, so that neither header there means no page of another's.
 */
export function mayUseCookie({ secFetchSite, origin }: RequestOrigin, allowedOrigins: string[]): boolean {
  if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === '' || allowedOrigins.includes(origin.toLowerCase());
}
