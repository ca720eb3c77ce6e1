import type { Ctx } from '#api/context.ts';
import { clearSessionCookie, readSessionCookie, sendSessionCookie } from '#api/middleware/session-cookie.ts';
import { route } from '#api/route.ts';
import { passwordChange, presentUser, registration, signInRequest, userShape } from '#api/shapes/user.ts';
import type { SessionOrigin, User } from '#core/access/access.ts';
import { beginSession, endSession } from '#core/access/sessions.ts';
import { changePassword, register, signIn } from '#core/access/sign-in.ts';
import { NotFound } from '#core/errors.ts';
import type { Services } from '#core/services.ts';

const tag = 'Sign-in';
const success = { description: 'Who is signed in', shape: userShape };

export const authRoutes = [
  route({
    method: 'post',
    path: '/api/auth/register',
    operationId: 'register',
    summary: 'Register and sign in',
    description: 'Sets the session cookie. 404 where registration is closed.',
    tag,
    access: 'public',
    body: registration,
    success,
    async handle({ services, body, ctx }) {
      if (services.config.registration === 'closed') throw new NotFound();
      return enter(services, ctx, await register(services, body.email, body.password, ctx.ip));
    },
  }),
  route({
    method: 'post',
    path: '/api/auth/login',
    operationId: 'login',
    summary: 'Sign in with e-mail and password, or with an API key',
    description: 'Sets the session cookie.',
    tag,
    access: 'public',
    body: signInRequest,
    success,
    async handle({ services, body: { email = '', password = '', apiKey }, ctx }) {
      const credentials = apiKey === undefined ? { email, password } : { apiKey };
      return enter(services, ctx, await signIn(services, credentials, ctx.ip));
    },
  }),
  route({
    method: 'post',
    path: '/api/auth/logout',
    operationId: 'logout',
    summary: 'End the web session',
    tag,
    access: 'public',
    success: { description: 'Signed out', status: 204 },
    async handle({ services, ctx }) {
      const session = readSessionCookie(ctx, services.config);
      // Foreign pages may not use the cookie (`readSessionCookie` gives null), so they must not clear it either.
      if (session !== null) {
        await endSession(services, session);
        clearSessionCookie(ctx, services.config);
      }
      return undefined;
    },
  }),
  route({
    method: 'post',
    path: '/api/auth/password',
    operationId: 'changePassword',
    summary: 'Change the password',
    description: "Ends the user's other web sessions.",
    tag,
    access: 'identified',
    body: passwordChange,
    success,
    async handle({ services, body, caller, ctx }) {
      const session = 'session' in caller.credential ? caller.credential.session : null;
      await changePassword(services, caller, body, session, ctx.ip);
      return presentUser(caller);
    },
  }),
  route({
    method: 'get',
    path: '/api/auth/session',
    operationId: 'getSession',
    summary: 'Who is calling',
    tag,
    access: 'identified',
    success,
    handle: async ({ caller }) => presentUser(caller),
  }),
];

/** Begins a session with a new secret. Ends a session that the browser brought along (session fixation). */
async function enter(services: Services, ctx: Ctx, { user, origin }: { user: User; origin: SessionOrigin }) {
  const secret = await beginSession(services, user.id, origin);
  const old = readSessionCookie(ctx, services.config);
  if (old !== null) await endSession(services, old);
  sendSessionCookie(ctx, secret, services.config);
  return presentUser(user);
}
