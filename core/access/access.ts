import type { Id } from '#core/ids.ts';
import type { Role } from './role.ts';

/** Person who signs in. A user's personal team has the same id. */
export type User = { id: Id; email: string; createdAt: Date };

/**
 * User with all sign-in data. `emailVerified`: an administrator or the identity provider vouches for the email address.
 * `disabledAt`: time from which the user is refused, or null.
 */
export type UserRecord = {
  user: User;
  passwordHash: string | null;
  emailVerified: boolean;
  disabledAt: Date | null;
};

/** User at an identity provider: `sub` of OpenID Connect, unique per issuer. */
export type Identity = { issuer: string; subject: string };

/** Calls that a key may make: all that its creator may make, only reads, or only sending. */
export const keyScopes = ['full', 'read', 'send'] as const;
/**
 * `accounts`: only reads of some accounts' mail. The store keeps it as a separate scope, so an earlier version of the program,
 * which cannot apply that limit, refuses all of the key's calls.
 */
export type KeyScope = (typeof keyScopes)[number] | 'accounts';

/**
 * API key of a team, without its value, which is shown once, at creation. `managedBy` is `namespace/name` of a Kubernetes
 * resource, or null for a key created through the API. `createdBy` is null for a resource's key, and for keys created with it.
 * `accountIds` are the accounts of the scope `accounts`, and null for other scopes.
 */
export type ApiKey = {
  id: Id;
  owner: Id;
  name: string;
  prefix: string;
  scope: KeyScope;
  accountIds: Id[] | null;
  expiresAt: Date | null;
  createdBy: User | null;
  managedBy: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
};

/** Key and its creator's role in its team. A key without a creator has the role of a member. */
export type KeyHolder = { key: ApiKey; role: Role };

export type UserStore = {
  find(by: { email: string } | { identity: Identity }): Promise<UserRecord | null>;
};

/** Proof of a user's identity: an API key, the password with this hash, or an identity provider. */
export type SessionOrigin = { key: Id } | { passwordHash: string } | { identity: Identity };

/** Web sessions. The SHA-256 (hex) of the cookie's secret identifies each in the store. */
export type SessionStore = {
  /** Finds a session, and its user or the key that it was started with. Returns null if the session does not exist or has expired. */
  find(
    hash: string,
    now: Date,
  ): Promise<{ holder: { user: User } | KeyHolder; createdAt: Date; expiresAt: Date } | null>;
  extend(hash: string, expiresAt: Date): Promise<void>;
  remove(hash: string): Promise<void>;
};

/** Teams' API keys. The SHA-256 (hex) of its value identifies each in the store. */
export type ApiKeyStore = {
  /** Finds a key. Also returns null if its creator has left the team or is disabled. */
  findByHash(hash: string): Promise<KeyHolder | null>;
  touch(id: Id, now: Date): Promise<void>;
};

/**
 * Hashes passwords slowly (argon2id), a few at a time. `party` names the client or user whose password is hashed. Serves parties
 * round robin. Throws TooMany if too many of a party's passwords wait.
 */
export type Passwords = {
  hash(password: string, party: string): Promise<string>;
  /** Verifies a password. Takes as long for a null hash as for a real hash. */
  verify(password: string, hash: string | null, party: string): Promise<boolean>;
};

/** Sliding window of calls per key, shared by all processes of an installation. Throws if it cannot be reached. */
export type RateWindow = {
  /** Counts a call if fewer than `limit` were counted in the last `windowMs`. Does not count a refused call. */
  take(key: string, limit: number, windowMs: number): Promise<RateTake>;
  /** Takes back a counted call. */
  giveBack(key: string, slot: string): Promise<void>;
};

/**
 * Outcome of a call. `slot` is null for a refused call. `remaining` is the number of remaining calls. `resetMs` is the time until
 * the oldest call leaves the window.
 */
export type RateTake = { slot: string | null; remaining: number; resetMs: number };
