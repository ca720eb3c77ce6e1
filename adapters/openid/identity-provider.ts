import type * as OpenId from 'openid-client';
import type { Binding, Claims, IdentityProvider } from '#core/access/sign-in-by-provider.ts';
import { IdentityProviderDown, SignInRefused } from '#core/errors.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { GroupTeam } from '#core/teams/join-teams.ts';

const metadataMs = 3_600_000;

/** OpenID Connect identity provider, and its users' email domains and groups. */
export type OidcConfig = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  /** Email domains that may sign in; empty for any. */
  allowedEmailDomains: string[];
  /** Claim that lists a user's groups, or null. */
  groupsClaim: string | null;
  /** Teams and roles that groups grant. */
  groupTeams: GroupTeam[];
};

type Options = {
  oidc: OidcConfig;
  log: { warn(fields: object, message: string): void };
  limitReached(limit: LimitName): void;
};

type Facts = { email?: unknown; email_verified?: unknown };
type Library = typeof OpenId;
type Discovered = { library: Library; provider: OpenId.Configuration };

/**
 * Creates the OpenID Connect identity provider. Loads its library and reads the provider's metadata at the first sign-in, and again after
 * a failure.
 */
export function createIdentityProvider(options: Options): IdentityProvider {
  return new OpenIdProvider(options);
}

class OpenIdProvider implements IdentityProvider {
  readonly name: string;
  readonly #options: Options;
  #discovered: { at: number; ready: Promise<Discovered> } | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.name = new URL(options.oidc.issuer).host;
  }

  addressOf({ state, nonce, verifier }: Binding, callback: string): Promise<URL> {
    return this.#ask(async ({ library, provider }) =>
      library.buildAuthorizationUrl(provider, {
        redirect_uri: callback,
        scope: this.#options.oidc.scopes,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    );
  }

  claimsOf({ state, nonce, verifier }: Binding, answer: URL): Promise<Claims> {
    return this.#ask(async ({ library, provider }) => {
      const tokens = await library.authorizationCodeGrant(provider, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const token = tokens.claims();
      if (token === undefined) throw new Error('The response has no ID token');
      const { groupsClaim } = this.#options.oidc;
      const lacks = (name: string) => token[name] === undefined;
      const lacksEmail = lacks('email') || lacks('email_verified');
      const isWhole = !lacksEmail && (groupsClaim === null || !lacks(groupsClaim));
      const more =
        isWhole || provider.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await library.fetchUserInfo(provider, tokens.access_token, token.sub);
      const { email, email_verified }: Facts = lacksEmail ? more : token;
      return {
        issuer: token.iss,
        subject: token.sub,
        email: typeof email === 'string' ? email : null,
        // Some providers send a string.
        emailVerified: email_verified === true || email_verified === 'true',
        groups: groupsClaim === null ? [] : this.#groupsIn({ ...more, ...token }[groupsClaim]),
      };
    });
  }

  /** Returns the groups in a claim: a list of names, or a single name. */
  #groupsIn(claim: unknown): string[] {
    const groups = [claim].flat().filter((group) => typeof group === 'string');
    const most = limits.access.providerGroups;
    if (groups.length > most) this.#options.limitReached('access.providerGroups');
    return groups.slice(0, most);
  }

  /** Makes a call, and converts its errors to the port's errors. Logs the reason. */
  async #ask<T>(call: (discovered: Discovered) => Promise<T>): Promise<T> {
    try {
      return await call(await this.#discover());
    } catch (error) {
      const { down, reason } = judge(error);
      const fields = {
        event: down ? 'openid.down' : 'openid.refused',
        issuer: this.#options.oidc.issuer,
        reason,
      };
      this.#options.log.warn(fields, 'a sign-in through the identity provider failed');
      if (down) throw new IdentityProviderDown(`${this.name} is not responding: try again in a minute`);
      throw new SignInRefused(`Signing in with ${this.name} failed: try again`);
    }
  }

  #discover(): Promise<Discovered> {
    const now = performance.now();
    if (this.#discovered !== null && now - this.#discovered.at < metadataMs) return this.#discovered.ready;
    const discovered = { at: now, ready: this.#load() };
    this.#discovered = discovered;
    discovered.ready.catch(() => {
      if (this.#discovered === discovered) this.#discovered = null;
    });
    return discovered.ready;
  }

  async #load(): Promise<Discovered> {
    const { issuer, clientId, clientSecret } = this.#options.oidc;
    const library = await import('openid-client');
    const server = new URL(issuer);
    const insecure = server.protocol === 'http:' ? [library.allowInsecureRequests] : [];
    const provider = await library
      .discovery(server, clientId, {}, secretBy(library, clientSecret), {
        timeout: limits.access.providerMs / 1000,
        execute: [...insecure, library.enableNonRepudiationChecks],
        [library.customFetch]: (url, options) => this.#fetch(url, options),
      })
      .catch((error) => {
        throw new IdentityProviderDown(judge(error).reason);
      });
    return { library, provider };
  }

  async #fetch(url: string, options: OpenId.CustomFetchOptions): Promise<Response> {
    try {
      return await fetchBounded(url, options, limits.access.providerBytes);
    } catch (error) {
      if (error instanceof AnswerTooLong) this.#options.limitReached('access.providerBytes');
      if (options.signal?.aborted) this.#options.limitReached('access.providerMs');
      throw error;
    }
  }
}

/** Sends the client secret by HTTP Basic (RFC 6749 section 2.3.1), unless the provider accepts it only in the body. */
function secretBy(library: Library, secret: string): OpenId.ClientAuth {
  const basic = library.ClientSecretBasic(secret);
  const post = library.ClientSecretPost(secret);
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const send =
      !methods.includes('client_secret_basic') && methods.includes('client_secret_post') ? post : basic;
    send(server, ...request);
  };
}

/** Codes of answers that are not OpenID Connect, such as a proxy's error page. */
const unreadable = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
];

/**
 * Returns whether an error means that the provider is down, and the reason for the log. The reason consists only of error messages, so it
 * contains no tokens.
 */
function judge(error: unknown): { down: boolean; reason: string } {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  const codes = chain.flatMap((one) => ('code' in one ? [String(one.code)] : []));
  const down = chain.some(
    (one) =>
      one instanceof IdentityProviderDown ||
      one instanceof AnswerTooLong ||
      one.name === 'TimeoutError' ||
      one.message === 'fetch failed' ||
      ('status' in one && Number(one.status) >= 500),
  );
  const told = chain.flatMap((one) => [one.message, ...('error' in one ? [String(one.error)] : [])]);
  return {
    down: down || codes.some((code) => unreadable.includes(code)),
    reason: told.join(': ').slice(0, 500),
  };
}

/** Error for an answer that exceeds the maximum length. */
class AnswerTooLong extends Error {
  override name = 'AnswerTooLong';
}

type FetchOptions = { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal };

/**
 * Fetches without following redirects, and reads up to `mostBytes` of the answer. The signal also ends the reading. Throws AnswerTooLong.
 */
async function fetchBounded(url: string, options: FetchOptions, mostBytes: number): Promise<Response> {
  const answer = await fetch(url, { ...(options as RequestInit), redirect: 'manual' });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    length += piece.length;
    if (length > mostBytes) throw new AnswerTooLong(`The response is longer than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  const { status, statusText, headers } = answer;
  const body = [204, 205, 304].includes(status) ? null : Buffer.concat(pieces);
  const read = new Response(body, { status, statusText, headers });
  // The constructor leaves the URL empty.
  Object.defineProperty(read, 'url', { value: answer.url });
  return read;
}
