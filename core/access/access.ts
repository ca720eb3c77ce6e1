import type { Id } from '#core/ids.ts';
import type { Role } from './role.ts';

/** Person who signs in. The user's personal team has the same ID. */
export type User = { id: Id; email: string; createdAt: Date };

/**
 * User with all sign-in data. `emailVerified`: an administrator or the identity provider vouches for the email address. `disabledAt`:
 * time since which the user has been refused, or null if the user is enabled.
 */
export type UserRecord = {
  user: User;
  passwordHash: string | null;
  emailVerified: boolean;
  disabledAt: Date | null;
};

/** User at an identity provider. `subject` is the claim `sub` of OpenID Connect, unique per issuer. */
export type Identity = { issuer: string; subject: string };

/** Calls that a key may make: everything that its creator may do, only reading, or only sending. */
export const keyScopes = ['full', 'read', 'send'] as const;
/**
 * `accounts`: only reading some accounts' mail. The store keeps this as a separate scope, so an earlier version of the program, which
 * cannot apply the limit, refuses all of the key's calls.
 */
export type KeyScope = (typeof keyScopes)[number] | 'accounts';

/**
 * API key of a team, without its value, which is shown only at creation. `managedBy` is the `namespace/name` of a Kubernetes resource, or
 * null for a key created through the API. `createdBy` is null for a resource's key and for keys that such a key created. `accountIds` are
 * the accounts of a key with the scope `accounts`, and null for other scopes.
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

/** Key and its creator's role in its team. A key that has no creator has the role of a member. */
export type KeyHolder = { key: ApiKey; role: Role };

export type UserStore = {
  find(by: { email: string } | { identity: Identity }): Promise<UserRecord | null>;
};

/** Proof of a user's identity: an API key, the password with this hash, or an identity at an identity provider. */
export type SessionOrigin = { key: Id } | { passwordHash: string } | { identity: Identity };

/** Web sessions. The store identifies a session by the SHA-256 (hex) of its cookie's secret. */
export type SessionStore = {
  /**
   * Finds a session and its holder: the user, or the key that the session was started with. Returns null if the session does not exist or
   * has expired.
   */
  find(
    hash: string,
    now: Date,
  ): Promise<{ holder: { user: User } | KeyHolder; createdAt: Date; expiresAt: Date } | null>;
  extend(hash: string, expiresAt: Date): Promise<void>;
  remove(hash: string): Promise<void>;
};

/** Teams' API keys. The store identifies a key by the SHA-256 (hex) of its value. */
export type ApiKeyStore = {
  /** Finds a key. Returns null if the key is unknown, or its creator has left the team or is disabled. */
  findByHash(hash: string): Promise<KeyHolder | null>;
  touch(id: Id, now: Date): Promise<void>;
};

/**
 * Hashes passwords with a slow function (argon2id), a few at a time. `party` names the client or user whose password is hashed. Serves
 * parties round robin. Throws TooMany if too many of a party's passwords are waiting.
 */
export type Passwords = {
  hash(password: string, party: string): Promise<string>;
  /** Verifies a password. Takes as long for a null hash as for a real one, so the time reveals nothing. */
  verify(password: string, hash: string | null, party: string): Promise<boolean>;
};

/** Sliding window of calls per key, shared by all processes of an installation. Its methods throw if the window cannot be reached. */
export type RateWindow = {
  /** Counts a call if fewer than `limit` were counted in the last `windowMs`. Does not count a refused call. */
  take(key: string, limit: number, windowMs: number): Promise<RateOutcome>;
  /** Takes back a counted call. */
  giveBack(key: string, slot: string): Promise<void>;
};

/**
 * Outcome of a call. `slot` is null if the call was refused. `remaining` is the number of calls left. `resetMs` is the time until the
 * oldest counted call leaves the window.
 */
export type RateOutcome = { slot: string | null; remaining: number; resetMs: number };
