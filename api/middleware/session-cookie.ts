import type { Ctx } from '#api/context.ts';
import { sessionMs } from '#core/access/sessions.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Config } from '#setup/config.ts';
import { isLoopbackHost } from '#setup/loopback.ts';

/** Checks whether browsers reach the base URL by TLS. */
export const isHttps = (baseUrl: string) => baseUrl.startsWith('https:');

/**
 * Returns the name of the session cookie. Browsers take a `__Host-` cookie only from this very host, over TLS, so that a
 * neighbouring host cannot plant one (RFC 6265bis section 4.1.3.2).
 */
export function sessionCookieName(baseUrl: string): string {
  return isHttps(baseUrl) ? '__Host-sandpost_session' : 'sandpost_session';
}

export const originOf = (ctx: Ctx) => ({
  secFetchSite: ctx.get('sec-fetch-site'),
  origin: ctx.get('origin'),
});

/** Returns the secret in the session cookie, or null if there is none or the request may not use it. */
export function readSessionCookie(ctx: Ctx, { allowedOrigins, baseUrl }: Config): string | null {
  if (!mayUseCookie(originOf(ctx), allowedOrigins)) return null;
  return ctx.cookies.get(sessionCookieName(baseUrl)) || null;
}

/** Throws Unauthenticated, with the cause, if the client sent a session cookie from a foreign origin. */
export function refuseForeignCookie(ctx: Ctx, { allowedOrigins, baseUrl }: Config): void {
  const from = originOf(ctx);
  if (mayUseCookie(from, allowedOrigins) || !ctx.cookies.get(sessionCookieName(baseUrl))) return;
  throw new Unauthenticated(explainOrigin(from, allowedOrigins));
}

/** Sends the cookie, which lasts as long as an unused session. */
export function sendSessionCookie(ctx: Ctx, secret: string, config: Config): void {
  write(ctx, secret, sessionMs, config);
}

export function clearSessionCookie(ctx: Ctx, config: Config): void {
  write(ctx, '', 0, config);
}

function write(ctx: Ctx, value: string, maxAge: number, { baseUrl }: Config): void {
  setCookie(ctx, sessionCookieName(baseUrl), value, { maxAge, sameSite: 'strict', baseUrl });
}

/** Sets a cookie of this host that no script can read. */
export function setCookie(
  ctx: Ctx,
  name: string,
  value: string,
  { maxAge, sameSite, baseUrl }: { maxAge: number; sameSite: 'strict' | 'lax'; baseUrl: string },
): void {
  const secure = isHttps(baseUrl);
  // TLS may end at a proxy: the base URL has the scheme that the browser uses, and this connection may have another.
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, value, { maxAge, httpOnly: true, sameSite, secure, path: '/', overwrite: true });
}

/** Checks whether a host, without its port, is a name or an address of this machine. */
type IsOwnHost = (host: string) => boolean;

/** Headers that name the origin of a request. Absent ones are empty. */
export type RequestOrigin = { secFetchSite: string; origin: string };

/** Longest origin in an error text, in characters: a host name with its scheme and port. */
const mostOriginCharacters = 270;

/** Explains why a request may not use the session cookie, and names the setting that decides. */
function explainOrigin({ origin }: RequestOrigin, [expected = '']: string[]): string {
  const sent = origin === '' ? 'another site' : origin.slice(0, mostOriginCharacters);
  return (
    `This request comes from a page on ${sent}, but a session is valid only for pages on ${expected}, ` +
    'as set in SANDPOST_BASE_URL: open Sandpost there, or set SANDPOST_BASE_URL to the URL that people open'
  );
}

/**
 * Checks whether a request may use the session cookie: it comes from our own page, or from a client other than a browser.
 * Browsers send Origin with every unsafe method, so a request without either header does not come from a foreign page.
 */
export function mayUseCookie({ secFetchSite, origin }: RequestOrigin, allowedOrigins: string[]): boolean {
  if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === '' || allowedOrigins.includes(origin.toLowerCase());
}

/**
 * Checks whether a request was sent to a name or an address of this machine, by a page of that very origin or by a client other
 * than a browser. A foreign name in Host is DNS rebinding: the page of an attacker whose name was made to resolve here.
 */
export function isFromThisMachine(
  host: string,
  { secFetchSite, origin }: RequestOrigin,
  isOwn: IsOwnHost = isLoopbackHost,
): boolean {
  if (!namesThisMachine(host, isOwn)) return false;
  // A proxy that ends TLS may stand before any name but those of the machine itself.
  const schemes = isOwn === isLoopbackHost ? ['http'] : ['http', 'https'];
  const own = schemes.map((scheme) => new URL(`${scheme}://${host}`).origin);
  if (origin !== '' && !own.includes(origin.toLowerCase())) return false;
  return ['', 'same-origin', 'none'].includes(secFetchSite);
}

/** Checks whether the header Host names this machine, with or without a port. */
export function namesThisMachine(host: string, isOwn: IsOwnHost): boolean {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return false;
  return isOwn(new URL(`http://${host}`).hostname);
}

/** Returns the error text for requests that a process without keys does not answer. */
export function localOnly(isOwn: IsOwnHost): string {
  if (isOwn === isLoopbackHost)
    return 'sandpost dev accepts only requests to localhost, from its own page or from tools on this machine';
  return 'sandpost mailpit accepts only requests to an IP address or a private host name, from its own page or from tools. To allow other names, set MP_ALLOWED_HOSTS';
}
