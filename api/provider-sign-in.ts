import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { type Binding, providerSignInMs } from '#core/access/sign-in-by-provider.ts';
import { SignInRefused } from '#core/errors.ts';
import type { Config } from '#setup/config.ts';
import type { Ctx } from './context.ts';
import { isHttps, setCookie } from './middleware/session-cookie.ts';

/**
 * Sign-in in progress at the identity provider, kept in a browser cookie. `former` is the hash of the browser's previous session. The
 * browser does not send that session's cookie when it returns from another site.
 */
export type SignInUnderWay = Binding & { returnTo: string; former: string | null };

const nameOf = ({ baseUrl }: Config) => (isHttps(baseUrl) ? '__Host-sandpost_oidc' : 'sandpost_oidc');

/** Stores the sign-in in the browser for ten minutes. */
export function keepSignIn(ctx: Ctx, signIn: SignInUnderWay, now: Date, config: Config): void {
  const until = now.getTime() + providerSignInMs;
  const text = Buffer.from(JSON.stringify({ ...signIn, until })).toString('base64url');
  const value = `${text}.${sealOf(text, config)}`;
  setCookie(ctx, nameOf(config), value, {
    maxAge: providerSignInMs,
    sameSite: 'lax',
    baseUrl: config.baseUrl,
  });
}

/** Reads the sign-in with this state from the browser's cookie, and removes it there. Throws SignInRefused. */
export function takeSignIn(ctx: Ctx, state: string | null, now: Date, config: Config): SignInUnderWay {
  const found = open(ctx.cookies.get(nameOf(config)) ?? '', now, config);
  if (found === null)
    throw new SignInRefused(
      `This sign-in did not start in this browser at ${config.baseUrl}, or it started more than ten minutes ago: start again`,
    );
  if (found.state !== state) throw new SignInRefused('Another sign-in started after this one: start again');
  setCookie(ctx, nameOf(config), '', { maxAge: 0, sameSite: 'lax', baseUrl: config.baseUrl });
  return found;
}

function open(cookie: string, now: Date, config: Config): SignInUnderWay | null {
  const [text = '', seal = ''] = cookie.split('.');
  const [given, wanted] = [Buffer.from(seal), Buffer.from(sealOf(text, config))];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  const { until, ...signIn } = JSON.parse(Buffer.from(text, 'base64url').toString());
  return now.getTime() < until ? signIn : null;
}

/** Returns the seal for text. Its key is derived from the client secret, which all processes of an installation share. */
function sealOf(text: string, { oidc }: Config): string {
  const key = hkdfSync('sha256', oidc?.clientSecret ?? '', '', 'sandpost sign-in under way', 32);
  return createHmac('sha256', Buffer.from(key)).update(text).digest('base64url');
}

/** Maximum characters of a return path. The cookie that stores it has room for 4,096. */
const mostCharacters = 1024;
const host = 'http://local.invalid';

/**
 * Returns a path on this host, with its query and fragment, as browsers read it. Returns `/` for everything else, such as
 * `//elsewhere.example` and `/\elsewhere.example`, which could make a link lead to another site.
 */
export function localPath(text: string): string {
  if (!text.startsWith('/') || !URL.canParse(text, host)) return '/';
  const { origin, pathname, search, hash } = new URL(text, host);
  const path = `${pathname}${search}${hash}`;
  // A path such as `/.//elsewhere.example` begins with two slashes only after parsing.
  return origin !== host || path.startsWith('//') || path.length > mostCharacters ? '/' : path;
}
