import type { RowStore } from '#core/change.ts';
import { SignInRefused, unlessTaken } from '#core/errors.ts';
import type { Identity, User, UserRecord, UserStore } from './access.ts';
import { type AttemptPorts, countAttempt } from './attempts.ts';
import { clientNetwork } from './client-network.ts';
import { confusableEmail, parseEmail } from './email.ts';
import { hashSecret } from './secrets.ts';
import type { TakeOver } from './take-over.ts';
import { addUser, vouch } from './user-changes.ts';

/**
 * Values that bind the identity provider's answer to the browser that started the sign-in: the authorization request's `state`, the ID
 * token's `nonce`, and PKCE's code verifier (RFC 7636).
 */
export type Binding = { state: string; nonce: string; verifier: string };

/** Facts about a user from the identity provider. Its answer has passed all checks. */
export type Claims = {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  groups: string[];
};

/** OpenID Connect identity provider. All methods throw IdentityProviderDown. */
export type IdentityProvider = {
  /** Name to display: the issuer's host. */
  name: string;
  /** Returns the URL at the provider at which a browser signs in before it returns to `callback`. */
  addressOf(binding: Binding, callback: string): Promise<URL>;
  /** Exchanges the provider's answer, the URL with which the browser returned, for claims. Throws SignInRefused for an invalid answer. */
  claimsOf(binding: Binding, answer: URL): Promise<Claims>;
};

/** Maximum time from the start of a sign-in to the browser's return from the identity provider. */
export const providerSignInMs = 10 * 60_000;
/** Maximum length of a subject (OpenID Connect Core section 2) and of an email address (RFC 5321 section 4.5.3.1.3), in characters. */
const mostSubject = 255;
const mostEmail = 254;

type Ports = { rows: RowStore; users: UserStore; clock: () => Date };

/** Counts the start of a sign-in through the identity provider. Throws TooMany. */
export async function countProviderSignIn(ports: AttemptPorts, clientAddress: string): Promise<void> {
  const key = `provider:${clientNetwork(clientAddress)}`;
  await countAttempt(ports, key, 'access.providerSignIns', 'Too many sign-ins from this address');
}

/** Uses up a sign-in's state in all processes. A second use throws SignInRefused. */
export async function useUp({ attempts }: Pick<AttemptPorts, 'attempts'>, state: string): Promise<void> {
  const { slot } = await attempts.take(`provider-state:${hashSecret(state)}`, 1, providerSignInMs);
  if (slot === null) throw new SignInRefused('This sign-in is already complete: start again');
}

/** Result of a sign-in through the identity provider. `join`: the identity is added to an existing user. */
export type SignInOutcome = { enter: User } | { join: User } | { create: string } | { refuse: string };

/**
 * Decides how an identity's holder enters. `known` is the user who has the identity, and `namesake` the user who has the email address.
 * The address must be verified and in an allowed domain at each sign-in.
 */
export function decideSignIn(
  { subject, email, emailVerified }: Pick<Claims, 'subject' | 'email' | 'emailVerified'>,
  allowedDomains: string[],
  known: UserRecord | null,
  namesake: UserRecord | null,
): SignInOutcome {
  if (subject === '' || subject.length > mostSubject)
    return { refuse: 'The identity provider did not identify you' };
  if (email === null || !isEmail(email))
    return { refuse: 'The identity provider did not send your email address' };
  if (!emailVerified) return { refuse: 'The identity provider has not verified your email address' };
  const plain = parseEmail(email);
  if (plain === null) return { refuse: `Your email address ${confusableEmail}` };
  const domain = plain.slice(plain.lastIndexOf('@') + 1);
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain))
    return { refuse: 'People with an email address on this domain cannot sign in here' };
  const found = known ?? namesake;
  if (found === null) return { create: plain };
  if (found.disabledAt !== null) return { refuse: 'Your user is disabled: ask your administrator' };
  return known === null ? { join: found.user } : { enter: found.user };
}

/**
 * Signs in the user of an identity. Adds a new identity to an existing user, or creates a user for it. `taken` is what ended because a
 * stranger may have registered the email address, or null. Throws SignInRefused.
 */
export async function signInByProvider(
  { rows, users, clock }: Ports,
  claims: Claims,
  allowedDomains: string[],
): Promise<{ holder: { user: User }; origin: { identity: Identity }; taken: TakeOver | null }> {
  const identity: Identity = { issuer: claims.issuer, subject: claims.subject };
  const signedIn = (user: User, { taken }: { taken: TakeOver | null } = { taken: null }) => ({
    holder: { user },
    origin: { identity },
    taken,
  });
  // If two first sign-ins run at the same time, the second finds the user that the first created.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const known = await users.find({ identity });
    const email = claims.email === null ? null : parseEmail(claims.email);
    const namesake = email === null ? null : await users.find({ email });
    const entrance = decideSignIn(claims, allowedDomains, known, namesake);
    if ('refuse' in entrance) throw new SignInRefused(entrance.refuse);
    if ('enter' in entrance) return signedIn(entrance.enter);
    if ('join' in entrance) {
      const vouched = await unlessTaken(rows.change(vouch, { user: entrance.join.id, identity }));
      if (vouched !== null) return signedIn(entrance.join, vouched);
      continue;
    }
    const wanted = {
      email: entrance.create,
      passwordHash: null,
      now: clock(),
      emailVerified: true,
      identity,
    };
    const made = await unlessTaken(rows.change(addUser, wanted));
    if (made !== null) return signedIn(made);
  }
  throw new SignInRefused(
    'Your email address belongs to a different user at the identity provider. Ask your administrator',
  );
}

function isEmail(text: string): boolean {
  return text.length <= mostEmail && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text);
}
