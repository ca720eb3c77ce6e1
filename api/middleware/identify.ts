import type { Caller, Credential, Ctx, Handler } from '#api/context.ts';
import { identifyByKey } from '#core/access/api-keys.ts';
import { identifyBySession } from '#core/access/sessions.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { readSessionCookie, refuseForeignCookie, sendSessionCookie } from './session-cookie.ts';

/** Identifies the caller, and continues whether known or not. A request with both a key and a cookie uses the key. */
export function identify(services: Services): Handler {
  return async (ctx, next) => {
    const credential = credentialOf(ctx, services);
    ctx.state.caller = credential && (await callerOf(ctx, services, credential));
    await next();
  };
}

/** Refuses a request without a known caller. Throws Unauthenticated. */
export function requireCaller({ config }: Pick<Services, 'config'>): Handler {
  return async (ctx, next) => {
    if (ctx.state.caller === null) {
      if (ctx.get('x-api-key') === '') refuseForeignCookie(ctx, config);
      throw new Unauthenticated('Send a valid API key in the header X-API-KEY, or sign in');
    }
    await next();
  };
}

/** Tells whether a credential is still valid: a key can be revoked and a session can end during a stream. */
export async function isStillValid(services: Services, credential: Credential): Promise<boolean> {
  if ('key' in credential) return (await identifyByKey(services, credential.key)) !== null;
  return (await identifyBySession(services, credential.session)) !== null;
}

/** Returns the credential that a request carries, valid or not. */
export function credentialOf(ctx: Ctx, { config }: Pick<Services, 'config'>): Credential | null {
  const key = ctx.get('x-api-key');
  if (key !== '') return { key };
  const session = readSessionCookie(ctx, config);
  return session === null ? null : { session };
}

async function callerOf(ctx: Ctx, services: Services, credential: Credential): Promise<Caller | null> {
  if ('key' in credential) {
    const found = await identifyByKey(services, credential.key, ctx.state.reader.apiKeys);
    return found && { ...found.user, credential };
  }
  const found = await identifyBySession(services, credential.session);
  if (found?.extended) sendSessionCookie(ctx, credential.session, services.config);
  return found && { ...found.user, credential };
}
