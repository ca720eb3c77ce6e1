import Joi from 'joi';
import { mayUseCookie, originOf, readSessionCookie } from '#api/middleware/session-cookie.ts';
import { showContinuePage } from '#api/plain-page.ts';
import { keepSignIn, localPath, takeSignIn } from '#api/provider-sign-in.ts';
import { get } from '#api/route.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { startSession } from '#api/start-session.ts';
import { hashSecret, newSecret } from '#core/access/secrets.ts';
import { countProviderSignIn, signInByProvider, useUp } from '#core/access/sign-in-by-provider.ts';
import { found } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { joinTeams } from '#core/teams/join-teams.ts';
import { recordTakeOver } from '#core/teams/record-action.ts';
import type { Config } from '#setup/config.ts';
import type { Services } from '#setup/services.ts';

const refuses =
  'The identity provider did not confirm your identity, or the sign-in did not start in this browser.';

const start = requestShape<{ returnTo?: string }>('OpenIdSignIn', {
  returnTo: {
    names: ['return_to'],
    schema: Joi.string().allow('').description('Path on this host to open after sign-in.'),
  },
});

const callbackOf = ({ baseUrl }: Config) => `${baseUrl}/api/auth/oidc/callback`;

const one = { page: 1, limit: 1 };

/**
 * Returns the user's first page: their own mail or, if they have no domain, the mail of the first team that their groups or an
 * administrator added them to.
 */
async function homeOf({ rows }: Services, user: Id): Promise<string> {
  if ((await rows.list('domains', { team: user }, one)).total > 0) return '/';
  const { items } = await rows.list('teamsOf', { user }, { page: 1, limit: limits.teams.ofUser });
  const given = items.find(({ kind }) => kind === 'managed');
  return given === undefined ? '/' : `/team/${given.id}/mail/all`;
}

/** Sign-in by OpenID Connect. Browsers navigate here, so failures appear as pages. */
export const openIdRoutes = [
  get({
    path: '/api/auth/oidc',
    operationId: 'signInByOpenId',
    summary: 'Sign in with OpenID Connect, in a browser',
    description: 'Redirects to the identity provider. Returns 404 if none is configured.',
    access: 'public',
    refuses,
    forBrowsers: true,
    query: start,
    success: { description: "The identity provider's sign-in URL", status: 303 },
    async handle({ services, query: { returnTo }, ctx }) {
      const { config } = services;
      const home = `${config.basePath}/`;
      const provider = found(services.identityProvider);
      if (!mayUseCookie(originOf(ctx), config.allowedOrigins)) {
        // Another site can show the sign-in page but cannot start a sign-in.
        ctx.set('Location', home);
        return;
      }
      await countProviderSignIn(services, ctx.ip);
      const binding = { state: newSecret(), nonce: newSecret(), verifier: newSecret() };
      const address = await provider.addressOf(binding, callbackOf(config));
      const session = readSessionCookie(ctx, config);
      const former = session && hashSecret(session);
      keepSignIn(
        ctx,
        { ...binding, returnTo: localPath(returnTo ?? home), former },
        services.clock(),
        config,
      );
      ctx.set({ Location: address.href, 'Cache-Control': 'no-store' });
    },
  }),
  get({
    path: '/api/auth/oidc/callback',
    operationId: 'finishOpenIdSignIn',
    summary: 'Finish signing in with OpenID Connect',
    description:
      'The identity provider redirects the browser here. Sets the session cookie and redirects to the page.',
    access: 'public',
    refuses,
    forBrowsers: true,
    // An identity provider adds its own parameters to the callback URL.
    anyQuery: true,
    success: { description: 'A page that redirects automatically', contentType: 'text/html' },
    async handle({ services, ctx }) {
      const { config } = services;
      const provider = found(services.identityProvider);
      const answer = new URL(`${callbackOf(config)}${ctx.search}`);
      const signIn = takeSignIn(ctx, answer.searchParams.get('state'), services.clock(), config);
      await useUp(services, signIn.state);
      const claims = await provider.claimsOf(signIn, answer);
      const signedIn = await signInByProvider(services, claims, config.oidc?.allowedEmailDomains ?? []);
      const { user } = signedIn.holder;
      const actor = { name: user.email, remoteAddress: ctx.ip };
      if (signedIn.taken !== null) await recordTakeOver(services, actor, user, signedIn.taken);
      await joinTeams(services, user, claims.groups, ctx.ip);
      await startSession(services, ctx, signedIn, claims.groups);
      if (signIn.former !== null) await services.sessions.remove(signIn.former);
      const isHome = signIn.returnTo === `${config.basePath}/`;
      showContinuePage(ctx, isHome ? config.basePath + (await homeOf(services, user.id)) : signIn.returnTo);
    },
  }),
];
