import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Role } from './role.ts';

/** Person who signs in. The personal team of a user has the same id. */
export type User = { id: Id; email: string; createdAt: Date };

/**
 * User with everything about signing in. `emailVerified`: an administrator or the identity provider vouches for the e-mail.
 * `disabledAt`: time from which the user is refused, or null.
 */
export type UserRecord = {
  user: User;
  passwordHash: string | null;
  emailVerified: boolean;
  disabledAt: Date | null;
};

/** User at an identity provider: `sub` of OpenID Connect, unique to the issuer. */
export type Identity = { issuer: string; subject: string };

/** Calls that a key may make: all that its creator may, reads alone, or sending alone. */
export const keyScopes = ['full', 'read', 'send'] as const;
/**
 * `accounts`: reads of the mail of some accounts alone. It is a scope of its own in the store, so that a program of an earlier version,
 * which knows no such limit, refuses the key all calls.
 */
export type KeyScope = (typeof keyScopes)[number] | 'accounts';

/**
 * API key of a team, without its value, which is shown once, at creation. `managedBy` is `namespace/name` of a Kubernetes
 * resource, or null for a key that the API made. `createdBy` is null for the key of a resource, and for keys made with it.
 * `accountIds` are the accounts of the scope `accounts`, and null of any other.
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

/** Key and the role of its creator in its team. A key without a creator has the role of a member. */
export type KeyHolder = { key: ApiKey; role: Role };

export type UserStore = {
  find(by: { email: string } | { identity: Identity }): Promise<UserRecord | null>;
  /** Lists all users, by id. */
  list(page: Page): Promise<Slice<UserRecord>>;
};

/** Proof of a user's identity: an API key, the password with this hash, or an identity provider. */
export type SessionOrigin = { key: Id } | { passwordHash: string } | { identity: Identity };

/** Web sessions. Each is stored under the SHA-256 (hex) of the cookie's secret. */
export type SessionStore = {
  /**
   * Finds a session, and its user or the key that it was made with. Returns null where there is no such session or it has
   * expired.
   */
  find(
    hash: string,
    now: Date,
  ): Promise<{ holder: { user: User } | KeyHolder; createdAt: Date; expiresAt: Date } | null>;
  extend(hash: string, expiresAt: Date): Promise<void>;
  remove(hash: string): Promise<void>;
};

/** API keys of teams. Each is stored under its SHA-256 (hex). */
export type ApiKeyStore = {
  /** Lists keys, newest first. */
  list(owner: Id, page: Page): Promise<Slice<ApiKey>>;
  /** Finds a key. Returns null also where its creator has left the team or is disabled. */
  findByHash(hash: string): Promise<KeyHolder | null>;
  touch(id: Id, now: Date): Promise<void>;
};

/**
 * Hashes passwords slowly (argon2id), a few at a time. `party` names the client or user that a password is hashed for. Parties are
 * served by round robin. Throws TooMany where too many passwords of one party wait.
 */
export type Passwords = {
  hash(password: string, party: string): Promise<string>;
  /** Verifies a password. Takes as long for a null hash as for a real one. */
  verify(password: string, hash: string | null, party: string): Promise<boolean>;
};

/** Sliding window of calls per key, shared by all processes of an installation. Throws where it cannot be reached. */
export type RateWindow = {
  /** Counts one call if fewer than `limit` were counted in the last `windowMs`. A refused call is not counted. */
  take(key: string, limit: number, windowMs: number): Promise<RateTake>;
  /** Takes a counted call back. */
  giveBack(key: string, slot: string): Promise<void>;
};

/**
 * Outcome of a call. `slot` is null for a refused call. `remaining` is the number of calls left after this one. `resetMs` is
 * the time until the oldest call leaves the window.
 */
export type RateTake = { slot: string | null; remaining: number; resetMs: number };
