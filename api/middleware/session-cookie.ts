import type { Ctx } from '#api/context.ts';
import { sessionMs } from '#core/access/sessions.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Config } from '#setup/config.ts';
import { explainOrigin, mayUseCookie } from './origin.ts';

/** Tells whether browsers reach the base URL by TLS. */
export const isHttps = (baseUrl: string) => baseUrl.startsWith('https:');

/**
 * Returns the name of the session cookie. Browsers take a `__Host-` cookie only from this very host, over TLS, so that a
 * neighbouring host cannot plant one (RFC 6265bis section 4.1.3.2).
 */
export function sessionCookieName(baseUrl: string): string {
  return isHttps(baseUrl) ? '__Host-sandpost_session' : 'sandpost_session';
}

const originOf = (ctx: Ctx) => ({ secFetchSite: ctx.get('sec-fetch-site'), origin: ctx.get('origin') });

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
