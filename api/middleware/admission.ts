import type { Caller, Credential, Ctx, Handler } from '#api/context.ts';
import { keyOf } from '#api/dialect.ts';
import { malformed } from '#api/shapes/problem.ts';
import type { RateOutcome } from '#core/access/access.ts';
import { identifyByKey } from '#core/access/api-keys.ts';
import { authorize, callerOf, type Permission } from '#core/access/caller.ts';
import { identifyBySession } from '#core/access/sessions.ts';
import { TooMany, Unauthenticated } from '#core/errors.ts';
import { type Id, parseId } from '#core/ids.ts';
import type { Reader } from '#core/store.ts';
import type { Services } from '#setup/services.ts';
import {
  isFromThisMachine,
  localOnly,
  originOf,
  readSessionCookie,
  refuseForeignCookie,
  sendSessionCookie,
} from './session-cookie.ts';

/**
 * Identifies a request's caller, and counts the request. `known` refuses a request without a caller before counting it, and `anybody`
 * admits it. Throws Unauthenticated and TooMany.
 */
export function admission(services: Services): Record<'known' | 'anybody', Handler> {
  const limit = limitRate(services);
  return {
    async known(ctx, next) {
      await identify(services, ctx);
      requireCaller(services, ctx);
      await limit(ctx, next);
    },
    async anybody(ctx, next) {
      await identify(services, ctx);
      await limit(ctx, next);
    },
  };
}

/**
 * Identifies the caller, if any. A request with both a key and a cookie uses the key. A request without a key or a cookie, or with an
 * invalid cookie, acts for the visitor if there is one.
 */
async function identify(services: Services, ctx: Ctx): Promise<void> {
  const credential = credentialOf(ctx, services);
  const known = credential && (await identified(ctx, services, credential));
  // Applications that act for the visitor use their provider's keys.
  const hasKey = credential !== null && 'key' in credential && ctx.state.dialect === undefined;
  ctx.state.caller = known ?? (hasKey ? null : visitorOf(ctx, services));
}

/** Returns the visitor as the caller of a request from this machine's own page or tools. */
function visitorOf(ctx: Ctx, { visitor, isOwnHost }: Services): Caller | null {
  if (visitor === null) return null;
  if (!isFromThisMachine(ctx.get('host'), originOf(ctx), isOwnHost)) return null;
  const role = [null, visitor.id].includes(wantedTeam(ctx)) ? 'owner' : null;
  const credential = { local: true } as const;
  return {
    userId: visitor.id,
    user: visitor,
    team: visitor.id,
    role,
    scope: 'full',
    accountIds: null,
    expiresAt: null,
    credential,
    keyId: null,
    keyName: null,
  };
}

/** Error text for a provider client whose key is not a Sandpost key. */
const foreignKey =
  'This is not a Sandpost API key. Create one on the API keys page, and use it instead of the provider’s key';

/** Refuses a request without a known caller. Throws Unauthenticated. */
function requireCaller({ config, visitor, isOwnHost }: Services, ctx: Ctx): void {
  if (ctx.state.caller !== null) return;
  if (ctx.state.dialect !== undefined) throw new Unauthenticated(foreignKey);
  const hasKey = ownKeyOf(ctx) !== '';
  if (!hasKey) refuseForeignCookie(ctx, config);
  const { takesBearer } = ctx.state;
  if (hasKey) {
    const key = takesBearer ? 'API key' : 'API key in X-API-KEY';
    throw new Unauthenticated(`The ${key} is unknown, was revoked or has expired`);
  }
  const place = takesBearer ? 'as a bearer token' : 'in the X-API-KEY header';
  throw new Unauthenticated(visitor ? localOnly(isOwnHost) : `Send an API key ${place}, or sign in`);
}

/**
 * Returns whether a caller may still read the team's objects. During a stream, a key can be revoked, a session can end, and a member can
 * be removed.
 */
export async function isStillValid(
  services: Services,
  { credential, team }: Pick<Caller, 'credential' | 'team'>,
): Promise<boolean> {
  if ('local' in credential) return true;
  const caller = await callerNow(services, credential, team);
  return caller !== null && caller.role !== null;
}

/** Age of a request in ms above which its caller is identified again before the request changes anything. */
const recheckMs = 1000;

/**
 * Refuses a request with a slow body if its caller's permission has ended: while the body is held back, a key can be revoked or a member
 * removed. Throws Unauthenticated, and what `authorize` throws.
 */
export async function requireStill(services: Services, ctx: Ctx, permission: Permission): Promise<void> {
  const { caller, arrivedAt } = ctx.state;
  if (caller !== null && performance.now() - arrivedAt >= recheckMs)
    await requireNow(services, caller, permission);
}

/** Identifies a caller again. Throws Unauthenticated, and what `authorize` throws. */
export async function requireNow(
  services: Services,
  { credential, team }: Pick<Caller, 'credential' | 'team'>,
  permission: Permission,
): Promise<void> {
  if ('local' in credential) return;
  const now = await callerNow(services, credential, team);
  if (now === null)
    throw new Unauthenticated('The API key or session became invalid before the request finished');
  authorize(now, permission);
}

async function callerNow(
  services: Services,
  credential: Exclude<Credential, { local: true }>,
  team: Id,
): ReturnType<typeof callerOf> {
  const found = await holderOf(services, credential, services);
  return found && callerOf(services.teams, found.holder, team);
}

/** Returns a request's credential, valid or not. A dialect has its own place for the key. */
function credentialOf(
  ctx: Ctx,
  { config }: Pick<Services, 'config'>,
): Exclude<Credential, { local: true }> | null {
  const { dialect } = ctx.state;
  if (dialect !== undefined) {
    const key = keyOf(dialect.key, ctx.req.headers);
    return key === null ? null : { key };
  }
  const key = ownKeyOf(ctx);
  if (key !== '') return { key };
  const session = readSessionCookie(ctx, config);
  return session === null ? null : { session };
}

/** Returns the API key of a request without a dialect, or an empty string. */
function ownKeyOf(ctx: Ctx): string {
  const bearer = ctx.state.takesBearer ? keyOf({ in: 'bearer' }, ctx.req.headers) : null;
  return ctx.get('x-api-key') || (bearer ?? '');
}

/** Finds a request's caller in the team that the request names. Returns null for an invalid credential. */
async function identified(
  ctx: Ctx,
  services: Services,
  credential: Exclude<Credential, { local: true }>,
): Promise<Caller | null> {
  const found = await holderOf(services, credential, ctx.state.reader);
  if (found === null) return null;
  const { holder, extended } = found;
  if (extended && 'session' in credential) sendSessionCookie(ctx, credential.session, services.config);
  const caller = await callerOf(ctx.state.reader.teams, holder, wantedTeam(ctx));
  return caller && { ...caller, credential, keyName: 'key' in holder ? holder.key.name : null };
}

async function holderOf(
  services: Services,
  credential: Exclude<Credential, { local: true }>,
  { apiKeys, sessions }: Pick<Reader, 'apiKeys' | 'sessions'>,
): ReturnType<typeof identifyBySession> {
  if ('session' in credential) return identifyBySession(services, credential.session, sessions);
  const holder = await identifyByKey(services, credential.key, apiKeys);
  return holder && { holder, extended: false };
}

const noTeam = 0;

type TeamCtx = Ctx & { params?: { team_id?: string } };

/** Refuses a request that its caller may not make. Throws HttpFault if the request names several teams, and what `authorize` throws. */
export function requirePermission(ctx: Ctx, caller: Caller, permission: Permission): void {
  // A caller who names several teams has no role.
  if (caller.role === null && namedTeams(ctx).length > 1)
    throw malformed('The request specifies several teams: send only one X-Team-Id or team_id');
  authorize(caller, permission);
}

/**
 * Returns the team that a request names. Returns null if the request names no team, and an id that no team has if the value is invalid or
 * several teams are named.
 */
function wantedTeam(ctx: TeamCtx): Id | null {
  const [first, ...others] = namedTeams(ctx);
  if (first === undefined) return null;
  return (others.length === 0 ? parseId(first) : null) ?? noTeam;
}

/** Returns the different teams that a request names: in its path, or otherwise in the header X-Team-Id and the parameter team_id. */
function namedTeams(ctx: TeamCtx): string[] {
  const inPath = ctx.params?.team_id;
  if (inPath !== undefined) return [inPath];
  const inHeader = ctx.get('x-team-id');
  if (inHeader === '' && ctx.querystring === '') return [];
  const given = [inHeader, ...new URLSearchParams(ctx.querystring).getAll('team_id')];
  return [...new Set(given.filter((value) => value !== ''))];
}

const windowMs = 60_000;
const logEveryMs = 60_000;

/**
 * Counts each caller's requests in a sliding window across all of the caller's keys and sessions. Lets requests pass if the window is
 * unreachable. Throws TooMany.
 */
export function limitRate({ rates, config, log, metrics }: Services): Handler {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const take = (user: Id): Promise<RateOutcome> =>
    rates.take(`user:${user}`, config.rateLimit, windowMs).catch((err: unknown) => {
      metrics.rateLimitFailures.inc();
      if (performance.now() - loggedAt >= logEveryMs) {
        loggedAt = performance.now();
        log.error(
          { event: 'rate-limit.failed', err },
          'could not count requests, so the rate limit is not enforced',
        );
      }
      return { slot: '', remaining: config.rateLimit - 1, resetMs: windowMs };
    });
  return async (ctx, next) => {
    const { caller } = ctx.state;
    if (caller !== null) {
      const { slot, remaining, resetMs } = await take(caller.userId);
      const seconds = Math.max(1, Math.ceil(resetMs / 1000));
      ctx.set({
        'RateLimit-Limit': String(config.rateLimit),
        'RateLimit-Remaining': String(remaining),
        'RateLimit-Reset': String(seconds),
      });
      if (slot === null)
        throw new TooMany(`More than ${config.rateLimit} requests in one minute`, seconds * 1000);
    }
    await next();
  };
}
