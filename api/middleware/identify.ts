import type { Caller, Credential, Ctx, Handler } from '#api/context.ts';
import { providerOf } from '#api/providers/index.ts';
import { keyOf } from '#api/providers/provider-key.ts';
import { identifyByKey } from '#core/access/api-keys.ts';
import { identifyBySession } from '#core/access/sessions.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { isFromThisMachine } from './origin.ts';
import { readSessionCookie, refuseForeignCookie, sendSessionCookie } from './session-cookie.ts';

/**
 * Identifies the caller, and continues whether known or not. A request with both a key and a cookie uses the key. Without
 * either, or with an old cookie, it acts for the visitor if there is one.
 */
export function identify(services: Services): Handler {
  return async (ctx, next) => {
    const credential = credentialOf(ctx, services);
    const known = credential && (await callerOf(ctx, services, credential));
    // Applications of the visitor have keys of their provider.
    const hasKey = credential !== null && 'key' in credential && providerOf(ctx.req.url) === null;
    ctx.state.caller = known ?? (hasKey ? null : visitorOf(ctx, services));
    await next();
  };
}

/** Returns the visitor as the caller of a request that this machine's own page or tools made. */
function visitorOf(ctx: Ctx, { visitor }: Services): Caller | null {
  if (visitor === null) return null;
  const from = { secFetchSite: ctx.get('sec-fetch-site'), origin: ctx.get('origin') };
  return isFromThisMachine(ctx.get('host'), from)
    ? { ...visitor, credential: { local: true }, keyName: null }
    : null;
}

/** Refuses a request without a known caller. Throws Unauthenticated. */
export function requireCaller({ config, visitor }: Pick<Services, 'config' | 'visitor'>): Handler {
  return async (ctx, next) => {
    if (ctx.state.caller === null) {
      if (ctx.get('x-api-key') === '') refuseForeignCookie(ctx, config);
      throw new Unauthenticated(
        visitor
          ? 'sandpost dev answers requests to localhost from this machine, of its own page or of tools'
          : 'Send a valid API key in the header X-API-KEY, or sign in',
      );
    }
    await next();
  };
}

/** Tells whether a credential is still valid: a key can be revoked and a session can end during a stream. */
export async function isStillValid(services: Services, credential: Credential): Promise<boolean> {
  if ('local' in credential) return true;
  if ('key' in credential) return (await identifyByKey(services, credential.key)) !== null;
  return (await identifyBySession(services, credential.session)) !== null;
}

/** Returns the credential that a request carries, valid or not. A request to a provider carries a key in its own place. */
export function credentialOf(
  ctx: Ctx,
  { config }: Pick<Services, 'config'>,
): Exclude<Credential, { local: true }> | null {
  const provider = providerOf(ctx.req.url);
  if (provider !== null) {
    const key = keyOf(provider.key, ctx.req.headers);
    return key === null ? null : { key };
  }
  const key = ctx.get('x-api-key');
  if (key !== '') return { key };
  const session = readSessionCookie(ctx, config);
  return session === null ? null : { session };
}

async function callerOf(
  ctx: Ctx,
  services: Services,
  credential: Exclude<Credential, { local: true }>,
): Promise<Caller | null> {
  if ('key' in credential) {
    const found = await identifyByKey(services, credential.key, ctx.state.reader.apiKeys);
    return found && { ...found.user, credential, keyName: found.key.name };
  }
  const found = await identifyBySession(services, credential.session);
  if (found?.extended) sendSessionCookie(ctx, credential.session, services.config);
  return found && { ...found.user, credential, keyName: null };
}
