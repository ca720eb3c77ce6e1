import type { Ctx } from '#api/context.ts';
import { sessionMs } from '#core/access/sessions.ts';
import type { Config } from '#core/config.ts';
import { mayUseCookie } from './origin.ts';

export const sessionCookieName = 'sandpost_session';

/** What the session cookie holds, or null where there is none that counts. */
export function readSessionCookie(ctx: Ctx, { allowedOrigins }: Config): string | null {
  const from = { secFetchSite: ctx.get('sec-fetch-site'), origin: ctx.get('origin') };
  if (!mayUseCookie(from, allowedOrigins)) return null;
  return ctx.cookies.get(sessionCookieName) || null;
}

/** Sends the cookie, for as long as the session lives unused. */
export function sendSessionCookie(ctx: Ctx, secret: string, config: Config): void {
  write(ctx, secret, sessionMs, config);
}

export function clearSessionCookie(ctx: Ctx, config: Config): void {
  write(ctx, '', 0, config);
}

function write(ctx: Ctx, value: string, maxAge: number, { baseUrl }: Config): void {
  const secure = baseUrl.startsWith('https:');
  // TLS may end at a proxy: what the browser speaks is told by the base URL, not by this connection.
  ctx.cookies.secure = secure;
  ctx.cookies.set(sessionCookieName, value, {
    maxAge,
    httpOnly: true,
    sameSite: 'strict',
    secure,
    path: '/',
    overwrite: true,
  });
}
