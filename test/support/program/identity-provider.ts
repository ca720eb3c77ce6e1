import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import { freePort } from '#test/support/runner/free-port.ts';

/** Person at the identity provider. */
export type Account = { sub: string; email?: string; email_verified?: unknown; groups?: unknown };

/** Falsification of the token endpoint's responses: other claims, signed again, or a replaced ID token. */
export type Tamper = { claims?: Record<string, unknown>; token?: (idToken: string) => string };

/** Real identity provider on loopback, with one client: the program at `baseUrl`. */
export type IdentityProvider = AsyncDisposable & {
  issuer: string;
  /** Settings for a program that uses it, at `baseUrl`. */
  settings: Record<string, string>;
  httpPort: number;
  /** Person who signs in next. */
  account: Account;
  /** Falsification of the next responses, or null. */
  tamper: Tamper | null;
  /** Handles the request itself if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Paths requested so far. */
  paths: string[];
  listen(): Promise<void>;
  close(): Promise<void>;
};

const client = { id: 'sandpost', secret: 'a client secret: with a % and a +' };
const signInPath = /^\/sign-in\/([\w-]+)(\/go)?$/;

type Options = { down?: true; emailInToken?: true; basePath?: string };

/**
 * Starts a provider. `down` leaves it closed until `listen`. Its sign-in page has one link, which signs `account` in. Only the
 * userinfo endpoint returns email and groups, unless `emailInToken` is set. `basePath`: path of the program's base URL.
 */
export async function startIdentityProvider({
  down,
  emailInToken,
  basePath = '',
}: Options = {}): Promise<IdentityProvider> {
  const [port, httpPort] = await Promise.all([freePort(), freePort()]);
  const issuer = `http://localhost:${port}`;
  const baseUrl = `http://127.0.0.1:${httpPort}${basePath}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let server: Server | null = null;

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${baseUrl}/api/auth/oidc/callback`],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    conformIdTokenClaims: emailInToken !== true,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ ...own.account, sub }) }),
  });
  provider.use(async (ctx, next) => {
    await next();
    const { tamper } = own;
    const body = ctx.body as { id_token?: string } | undefined;
    if (tamper === null || ctx.path !== '/token' || typeof body?.id_token !== 'string') return;
    if (tamper.claims) body.id_token = signAgain(body.id_token, tamper.claims, privateKey);
    if (tamper.token) body.id_token = tamper.token(body.id_token);
  });
  const handle = provider.callback();

  const own: IdentityProvider = {
    issuer,
    httpPort,
    settings: {
      SANDPOST_BASE_URL: baseUrl,
      SANDPOST_HTTP_PORT: String(httpPort),
      SANDPOST_OIDC_ISSUER: issuer,
      SANDPOST_OIDC_CLIENT_ID: client.id,
      SANDPOST_OIDC_CLIENT_SECRET: client.secret,
    },
    account: { sub: 'nobody' },
    tamper: null,
    intercept: null,
    paths: [],
    async listen() {
      server = createServer((request, response) => {
        own.paths.push(new URL(request.url ?? '/', issuer).pathname);
        if (own.intercept?.(request, response)) return;
        if (request.url === '/favicon.ico') return void response.writeHead(204).end();
        const [, , go] = signInPath.exec(request.url ?? '') ?? [];
        if (!signInPath.test(request.url ?? '')) return void handle(request, response);
        if (go) return void signIn(provider, own.account, request, response);
        response.setHeader('Content-Type', 'text/html');
        response.end(`<!doctype html><title>Sign in</title><a href="${request.url}/go">Continue</a>`);
      });
      await once(server.listen(port, 'localhost'), 'listening');
    },
    async close() {
      const closing = server;
      server = null;
      if (closing === null) return;
      const closed = once(closing.close(), 'close');
      closing.closeAllConnections();
      await closed;
    },
    [Symbol.asyncDispose]: () => own.close(),
  };
  if (!down) await own.listen();
  return own;
}

/** Signs an account in, grants everything the client requests, and redirects the browser back. */
async function signIn(
  provider: Provider,
  { sub }: Account,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: sub, clientId: client.id });
  grant.addOIDCScope(String(params.scope));
  const consent = { grantId: await grant.save() };
  // Otherwise an earlier account's session would be kept.
  const login = { accountId: sub, remember: false };
  await provider.interactionFinished(
    request,
    response,
    { login, consent },
    { mergeWithLastSubmission: false },
  );
}

/** Returns an ID token with other claims, signed with the key. */
function signAgain(idToken: string, claims: Record<string, unknown>, key: KeyObject): string {
  const [header = '', payload = ''] = idToken.split('.');
  const before: object = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const text = `${header}.${Buffer.from(JSON.stringify({ ...before, ...claims })).toString('base64url')}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
