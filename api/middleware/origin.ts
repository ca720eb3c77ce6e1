import type { Handler } from '#api/context.ts';
import { Unauthenticated } from '#core/errors.ts';
import { isLoopbackHost } from '#setup/loopback.ts';
import type { Services } from '#setup/services.ts';

/** Headers that name the origin of a request. Absent ones are empty. */
export type RequestOrigin = { secFetchSite: string; origin: string };

/** Longest origin in an error text, in characters: a host name with its scheme and port. */
const mostOriginCharacters = 270;

/** Explains why a request may not use the session cookie, and names the setting that decides. */
export function explainOrigin({ origin }: RequestOrigin, [expected = '']: string[]): string {
  const sent = origin === '' ? 'another site' : origin.slice(0, mostOriginCharacters);
  return (
    `This request comes from a page of ${sent}, and a session counts for pages of ${expected} only, ` +
    'which SANDPOST_BASE_URL says: open Sandpost there, or set SANDPOST_BASE_URL to the address that people open'
  );
}

/**
 * Tells whether a request may use the session cookie: it comes from our own page, or from a client other than a browser.
 * Browsers send Origin with every unsafe method, so a request without either header does not come from a foreign page.
 */
export function mayUseCookie({ secFetchSite, origin }: RequestOrigin, allowedOrigins: string[]): boolean {
  if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === '' || allowedOrigins.includes(origin.toLowerCase());
}

/**
 * Tells whether a request was sent to a name or an address of this machine, by a page of that very origin or by a client other
 * than a browser. A foreign name in Host is DNS rebinding: the page of an attacker whose name was made to resolve here.
 */
export function isFromThisMachine(host: string, { secFetchSite, origin }: RequestOrigin): boolean {
  if (!namesThisMachine(host)) return false;
  if (origin !== '' && origin.toLowerCase() !== new URL(`http://${host}`).origin) return false;
  return ['', 'same-origin', 'none'].includes(secFetchSite);
}

/** Tells whether the header Host names this machine, by a loopback name or address with or without a port. */
export function namesThisMachine(host: string): boolean {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return false;
  return isLoopbackHost(new URL(`http://${host}`).hostname);
}

/** Error text for requests that `sandpost dev` does not answer. */
export const localOnly =
  'sandpost dev answers requests to localhost from this machine, of its own page or of tools';

/**
 * Refuses every path to a foreign Host where there is a visitor, pages and public routes included: a page by DNS rebinding must
 * not learn that Sandpost runs here.
 */
export function requireLocalHost({ visitor }: Pick<Services, 'visitor'>): Handler {
  return (ctx, next) => {
    if (visitor !== null && !namesThisMachine(ctx.get('host'))) throw new Unauthenticated(localOnly);
    return next();
  };
}
