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
 * Lets a request use the session cookie if it comes from a page of ours or from a client that is no browser. Browsers send
 * Origin with every unsafe method: a request without either header comes from no foreign page.
 */
export function mayUseCookie({ secFetchSite, origin }: RequestOrigin, allowedOrigins: string[]): boolean {
  if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === '' || allowedOrigins.includes(origin.toLowerCase());
}
