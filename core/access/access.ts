import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

/** Owner of domains, accounts, mail and keys. A service user has `namespace/<name>` as its `email` and no password. */
export type User = { id: Id; email: string; createdAt: Date };

/**
 * API key without its value, which is shown once, at creation. `managedBy` is `namespace/name` of a Kubernetes resource, or
 * null for a key that the API made.
 */
export type ApiKey = {
  id: Id;
  name: string;
  prefix: string;
  managedBy: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
};

export type UserStore = {
  /** Returns null where the e-mail is taken. */
  insert(email: string, passwordHash: string | null, now: Date): Promise<User | null>;
  find(id: Id): Promise<User | null>;
  findByEmail(email: string): Promise<{ user: User; passwordHash: string | null } | null>;
  setPassword(id: Id, passwordHash: string): Promise<void>;
};

/**
 * Proof of a user's identity: an API key, or the password with this hash. A session ends with the key that it was made with.
 */
export type SessionOrigin = { keyId: Id } | { passwordHash: string };

export type NewSession = {
  hash: string;
  userId: Id;
  origin: SessionOrigin;
  createdAt: Date;
  expiresAt: Date;
};

/** Web sessions. Each is stored under the SHA-256 (hex) of the cookie's secret. */
export type SessionStore = {
  /**
   * Inserts the session. Keeps it and those of the user's others that end last, `most` in all, and ends the rest. Returns
   * the number of sessions that it ended. Writes nothing and returns null where the key was revoked or the password changed.
   */
  insert(session: NewSession, most: number): Promise<number | null>;
  /** Finds the session's user. Returns null where there is no such session or it has expired. */
  find(hash: string, now: Date): Promise<{ user: User; createdAt: Date; expiresAt: Date } | null>;
  extend(hash: string, expiresAt: Date): Promise<void>;
  remove(hash: string): Promise<void>;
  /** Ends all sessions of the user but one. */
  removeOthers(userId: Id, keepHash: string): Promise<void>;
  removeExpired(now: Date): Promise<void>;
};

/** API keys. Each is stored under its SHA-256 (hex). */
export type ApiKeyStore = {
  /** Returns null where the hash is taken. Throws OverQuota where the owner has `most` keys. */
  insert(
    owner: Id,
    key: { name: string; prefix: string; hash: string; managedBy?: string | null; createdAt: Date },
    most?: number,
  ): Promise<ApiKey | null>;
  /** Lists keys, newest first. */
  list(owner: Id, page: Page): Promise<Slice<ApiKey>>;
  /** Lists the keys that Kubernetes resources manage. */
  listManaged(owner: Id): Promise<ApiKey[]>;
  find(owner: Id, id: Id): Promise<ApiKey | null>;
  findByHash(hash: string): Promise<{ key: ApiKey; user: User } | null>;
  touch(id: Id, now: Date): Promise<void>;
  /** Removes the key and ends the sessions that were made with it. */
  remove(owner: Id, id: Id): Promise<boolean>;
};

/**
 * Hashes passwords slowly (argon2id), a few at a time. `turn` names the party that a password is hashed for. Parties take
 * turns. Throws TooMany where too many passwords of one party wait.
 */
export type Passwords = {
  hash(password: string, turn: string): Promise<string>;
  /** Verifies a password. Takes as long for a null hash as for a real one. */
  verify(password: string, hash: string | null, turn: string): Promise<boolean>;
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
