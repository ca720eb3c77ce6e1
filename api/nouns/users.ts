import Joi from 'joi';
import { clearSessionCookie, readSessionCookie } from '#api/middleware/session-cookie.ts';
import { get, post } from '#api/route.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { answerOf, at, nullable, responseShape, wholeNumber } from '#api/shapes/response-shape.ts';
import { textValue } from '#api/shapes/values.ts';
import { shownUser, startSession } from '#api/start-session.ts';
import type { User } from '#core/access/access.ts';
import { passwordLength } from '#core/access/password-hash.ts';
import { endSession } from '#core/access/sessions.ts';
import { changePassword, register, signIn } from '#core/access/sign-in.ts';
import { InsufficientScope, NotFound, SignInRefused } from '#core/errors.ts';
import { recordEverywhere } from '#core/teams/record-action.ts';
import type { Services } from '#setup/services.ts';

const password = () => textValue(passwordLength.least, passwordLength.most).example('correct horse');

const registration = requestShape<{ email: string; password: string }>(
  'Registration',
  {
    email: {
      names: ['email'],
      // RFC 5321 section 4.5.3.1.3 leaves 254 characters to an address.
      schema: Joi.string().email({ tlds: false }).max(254).example('me@example.com'),
      required: true,
    },
    password: password().required(),
  },
  { example: { email: 'me@example.com', password: 'correct horse' } },
);

const signInRequest = requestShape<{ email?: string; password?: string; apiKey?: string }>(
  'SignIn',
  {
    email: textValue(1, 254),
    password: textValue(1, 256),
    apiKey: textValue(1, 256),
  },
  {
    oneOf: [['email', 'password'], ['apiKey']],
    example: { email: 'me@example.com', password: 'correct horse' },
  },
);

const passwordChange = requestShape<{ current: string; next: string }>('PasswordChange', {
  current: { names: ['current_password', 'currentPassword'], schema: textValue(1, 256).required() },
  next: { names: ['new_password', 'newPassword'], schema: password().required() },
});

export const userShape = answerOf<User>()('User', {
  id: wholeNumber().min(1).example(1),
  email: Joi.string().example('me@example.com'),
  created_at: at(({ createdAt }) => createdAt),
});

export const signInMethods = responseShape('SignInMethods', {
  password: Joi.boolean().description('Whether people can sign in with email and password.'),
  registration: Joi.boolean().description('Whether anyone can register.'),
  oidc: nullable(
    responseShape('IdentityProvider', { name: Joi.string().example('login.example.com') }),
  ).description('OpenID Connect identity provider.'),
});

const success = { description: 'The signed-in user', shape: userShape };

export const authRoutes = [
  get({
    path: '/api/auth/methods',
    operationId: 'listSignInMethods',
    summary: 'Read the available sign-in methods',
    access: 'public',
    success: { description: 'The available sign-in methods', schema: signInMethods },
    handle: async ({ services }) => ({
      password: services.config.passwordSignIn,
      registration: mayRegister(services),
      oidc: services.identityProvider && { name: services.identityProvider.name },
    }),
  }),
  post({
    path: '/api/auth/register',
    operationId: 'register',
    summary: 'Register and sign in',
    description: 'Sets the session cookie. Returns 404 if registration is closed or password sign-in is off.',
    access: 'public',
    body: registration,
    success,
    async handle({ services, body, ctx }) {
      if (!mayRegister(services)) throw new NotFound();
      return startSession(services, ctx, await register(services, body.email, body.password, ctx.ip));
    },
  }),
  post({
    path: '/api/auth/login',
    operationId: 'login',
    summary: 'Sign in with email and password, or with an API key',
    description: 'Sets the session cookie. Returns 403 for a password if password sign-in is off.',
    access: 'public',
    refuses: 'Password sign-in is off.',
    body: signInRequest,
    success,
    async handle({ services, body: { email = '', password = '', apiKey }, ctx }) {
      if (apiKey === undefined) requirePasswords(services);
      const credentials = apiKey === undefined ? { email, password } : { apiKey };
      return startSession(services, ctx, await signIn(services, credentials, ctx.ip));
    },
  }),
  post({
    path: '/api/auth/logout',
    operationId: 'logout',
    summary: 'End the web session',
    access: 'public',
    success: { description: 'Signed out', status: 204 },
    async handle({ services, ctx }) {
      const session = readSessionCookie(ctx, services.config);
      // Foreign pages may not use the cookie (`readSessionCookie` returns null), so they must not clear it either.
      if (session !== null) {
        await endSession(services, session);
        clearSessionCookie(ctx, services.config);
      }
    },
  }),
  post({
    path: '/api/auth/password',
    operationId: 'changePassword',
    summary: 'Change the password',
    description: "Ends the user's other web sessions. Returns 403 if password sign-in is off.",
    permission: 'self',
    body: passwordChange,
    success,
    async handle({ services, body, caller, ctx }) {
      requirePasswords(services);
      const session = 'session' in caller.credential ? caller.credential.session : null;
      const { user } = caller;
      if (user === null) throw new InsufficientScope("A namespace's key has no password");
      await changePassword(services, user, body, session, ctx.ip);
      const actor = { name: user.email, remoteAddress: ctx.ip };
      await recordEverywhere(services, user.id, actor, 'password.changed', user.email);
      return user;
    },
  }),
  get({
    path: '/api/auth/session',
    operationId: 'getSession',
    summary: 'Read the current user',
    permission: 'mail',
    success,
    handle: ({ reader, caller }) => shownUser(reader, caller),
  }),
];

function mayRegister({ config }: Pick<Services, 'config'>): boolean {
  return config.registration === 'open' && config.passwordSignIn;
}

function requirePasswords({ config, identityProvider }: Pick<Services, 'config' | 'identityProvider'>): void {
  if (config.passwordSignIn) return;
  throw new SignInRefused(
    `Password sign-in is off: sign in with ${identityProvider?.name}, or with an API key`,
  );
}
