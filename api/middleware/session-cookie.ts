import type { Ctx } from '#api/context.ts';
import { sessionMs } from '#core/access/sessions.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Config } from '#setup/config.ts';
import { isLoopbackHost } from '#setup/loopback.ts';

/** Checks whether browsers reach the base URL over TLS. */
export const isHttps = (baseUrl: string) => baseUrl.startsWith('https:');

/**
 * Returns the session cookie's name. Browsers accept a `__Host-` cookie only from this exact host, over TLS, so a neighboring host cannot
 * plant one (RFC 6265bis section 4.1.3.2).
 */
export function sessionCookieName(baseUrl: string): string {
  return isHttps(baseUrl) ? '__Host-sandpost_session' : 'sandpost_session';
}

export const originOf = (ctx: Ctx) => ({
  secFetchSite: ctx.get('sec-fetch-site'),
  origin: ctx.get('origin'),
});

/** Returns the secret in the session cookie, or null if there is no cookie or the request may not use it. */
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

/** Sets a cookie for this host that scripts cannot read. */
export function setCookie(
  ctx: Ctx,
  name: string,
  value: string,
  { maxAge, sameSite, baseUrl }: { maxAge: number; sameSite: 'strict' | 'lax'; baseUrl: string },
): void {
  const secure = isHttps(baseUrl);
  // TLS may end at a proxy: the browser uses the base URL's scheme, which may differ from this connection's.
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, value, { maxAge, httpOnly: true, sameSite, secure, path: '/', overwrite: true });
}

/** Checks whether a host, without its port, is one of this machine's names or addresses. */
type IsOwnHost = (host: string) => boolean;

/** Headers that name a request's origin. An absent header is an empty string. */
export type RequestOrigin = { secFetchSite: string; origin: string };

/** Maximum length of an origin in an error text, in characters: enough for a host name with its scheme and port. */
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
 * Checks whether a request may use the session cookie: it must come from Sandpost's own page, or from a client other than a browser.
 * Browsers send Origin with every unsafe method, so a request without either header is not from a foreign page.
 */
export function mayUseCookie({ secFetchSite, origin }: RequestOrigin, allowedOrigins: string[]): boolean {
  if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === '' || allowedOrigins.includes(origin.toLowerCase());
}

/**
 * Checks whether a request was sent to one of this machine's names or addresses, by a page from the same origin or by a client other than
 * a browser. A foreign name in Host indicates DNS rebinding: an attacker's page whose name was made to resolve here.
 */
export function isFromThisMachine(
  host: string,
  { secFetchSite, origin }: RequestOrigin,
  isOwn: IsOwnHost = isLoopbackHost,
): boolean {
  if (!namesThisMachine(host, isOwn)) return false;
  // A TLS-terminating proxy may be in front of any name except the machine's own.
  const schemes = isOwn === isLoopbackHost ? ['http'] : ['http', 'https'];
  const isOwnOrigin = (scheme: string) => new URL(`${scheme}://${host}`).origin === origin.toLowerCase();
  if (origin !== '' && !schemes.some(isOwnOrigin)) return false;
  return ['', 'same-origin', 'none'].includes(secFetchSite);
}

/** Checks whether the Host header names this machine, with or without a port. */
export function namesThisMachine(host: string, isOwn: IsOwnHost): boolean {
  const url = /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`) : null;
  return url !== null && isOwn(url.hostname);
}

/** Returns the error text for requests that a process without keys does not serve. */
export function localOnly(isOwn: IsOwnHost): string {
  if (isOwn === isLoopbackHost)
    return 'sandpost dev accepts only requests to localhost, from its own page or from tools on this machine';
  return 'sandpost mailpit accepts only requests to an IP address or a private host name, from its own page or from tools. To allow other names, set MP_ALLOWED_HOSTS';
}
