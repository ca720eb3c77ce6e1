/**
 * Values that bind an answer of the identity provider to the browser that began the sign-in: `state` of the authorization
 * request, `nonce` of the ID token, and the code verifier of PKCE (RFC 7636).
 */
export type Binding = { state: string; nonce: string; verifier: string };

/** Facts about a user from the identity provider, after all checks of its answer. */
export type Claims = {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  groups: string[];
};

/** Identity provider of OpenID Connect. All methods throw IdentityProviderDown. */
export type IdentityProvider = {
  /** Name for people: the host of the issuer. */
  name: string;
  /** Returns the address at the provider where a browser signs in, and from which it comes back to `callback`. */
  addressOf(binding: Binding, callback: string): Promise<URL>;
  /** Exchanges the answer of the provider, the URL of the browser's return. Throws SignInRefused for one that is not valid. */
  claimsOf(binding: Binding, answer: URL): Promise<Claims>;
};
