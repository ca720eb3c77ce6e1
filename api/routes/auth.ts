import type { Caller, Ctx } from '#api/context.ts';
import { clearSessionCookie, readSessionCookie, sendSessionCookie } from '#api/middleware/session-cookie.ts';
import { route } from '#api/route.ts';
import { passwordChange, presentUser, registration, signInRequest, userShape } from '#api/shapes/user.ts';
import type { User } from '#core/access/access.ts';
import { beginSession, endSession } from '#core/access/sessions.ts';
import { changePassword, register, type SignedIn, signIn } from '#core/access/sign-in.ts';
import { InsufficientScope, NotFound } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { noteAction, noteEverywhere } from '#core/teams/note-action.ts';
import { found } from './found.ts';

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
    permission: 'self',
    body: passwordChange,
    success,
    async handle({ services, body, caller, ctx }) {
      const session = 'session' in caller.credential ? caller.credential.session : null;
      const { user } = caller;
      if (user === null) throw new InsufficientScope('The key of a namespace has no password');
      await changePassword(services, user, body, session, ctx.ip);
      const actor = { name: user.email, remoteAddress: ctx.ip };
      await noteEverywhere(services, user.id, actor, 'password.changed', user.email);
      return presentUser(user);
    },
  }),
  route({
    method: 'get',
    path: '/api/auth/session',
    operationId: 'getSession',
    summary: 'Who is calling',
    tag,
    access: 'identified',
    permission: 'read',
    success,
    handle: async ({ services, caller }) => presentUser(await shownUser(services, caller)),
  }),
];

/** Begins a session with a new secret. Ends a session that the browser brought along (session fixation). */
async function enter(services: Services, ctx: Ctx, { holder, origin }: SignedIn) {
  const key = 'key' in holder ? holder.key : null;
  const user = 'key' in holder ? holder.key.createdBy : holder.user;
  const team = key?.owner ?? user?.id ?? 0;
  const secret = await beginSession(services, user?.id ?? team, origin);
  const old = readSessionCookie(ctx, services.config);
  if (old !== null) await endSession(services, old);
  sendSessionCookie(ctx, secret, services.config);
  const shown = await shownUser(services, { user, team });
  const actor = { name: user?.email ?? `API key ${key?.name}`, remoteAddress: ctx.ip };
  if (key !== null) await noteAction(services, team, actor, 'session.created', `API key ${key.name}`);
  else await noteEverywhere(services, shown.id, actor, 'session.created', shown.email);
  return presentUser(shown);
}

/** Returns the user of a caller. A key without one is shown as its team. */
async function shownUser({ teams }: Services, { user, team }: Pick<Caller, 'user' | 'team'>): Promise<User> {
  if (user !== null) return user;
  const { id, name, createdAt } = found(await teams.find(team));
  return { id, email: name, createdAt };
}
