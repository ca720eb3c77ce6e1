import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

/** Who owns things. A service user (`namespace/<name>`) has that name in `email` and no password. */
export type User = { id: Id; email: string; createdAt: Date };

/**
 * An API key as its owner sees it again; the key itself is shown once, at creation. `managedBy` is `namespace/name` of a
 * Kubernetes resource, or null for the API.
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
  /** Null where the e-mail is taken. */
  insert(email: string, passwordHash: string | null, now: Date): Promise<User | null>;
  find(id: Id): Promise<User | null>;
  findByEmail(email: string): Promise<{ user: User; passwordHash: string | null } | null>;
  setPassword(id: Id, passwordHash: string): Promise<void>;
};

/** Proves who a user is: an API key, or the password with this hash. A session ends with the key that it was made with. */
export type SessionOrigin = { keyId: Id } | { passwordHash: string };

export type NewSession = {
  hash: string;
  userId: Id;
  origin: SessionOrigin;
  createdAt: Date;
  expiresAt: Date;
};

/** Web sessions, known by the SHA-256 (hex) of the cookie's secret. */
export type SessionStore = {
  /**
   * Keeps the session and the user's others that end last, `most` in all, and gives the number of those that it ended. Null,
   * and nothing is written, where the key has been revoked or the password changed.
   */
  insert(session: NewSession, most: number): Promise<number | null>;
  /** The session's user, or null where there is none or it has expired. */
  find(hash: string, now: Date): Promise<{ user: User; createdAt: Date; expiresAt: Date } | null>;
  extend(hash: string, expiresAt: Date): Promise<void>;
  remove(hash: string): Promise<void>;
  /** Ends all sessions of the user but one. */
  removeOthers(userId: Id, keepHash: string): Promise<void>;
  removeExpired(now: Date): Promise<void>;
};

/** Keys, known by their SHA-256 (hex). */
export type ApiKeyStore = {
  /** Null where the hash is taken. Throws OverQuota where the owner has `most` keys. */
  insert(
    owner: Id,
    key: { name: string; prefix: string; hash: string; managedBy?: string | null; createdAt: Date },
    most?: number,
  ): Promise<ApiKey | null>;
  /** Newest first. */
  list(owner: Id, page: Page): Promise<Slice<ApiKey>>;
  /** Those that Kubernetes resources manage. */
  listManaged(owner: Id): Promise<ApiKey[]>;
  find(owner: Id, id: Id): Promise<ApiKey | null>;
  /** As it was at `asked`, by `performance.now()`, or later; without it, at the call. */
  findByHash(hash: string, asked?: number): Promise<{ key: ApiKey; user: User } | null>;
  touch(id: Id, now: Date): Promise<void>;
  /** Ends the sessions that were made with the key, too. */
  remove(owner: Id, id: Id): Promise<boolean>;
};

/**
 * Hashes passwords slowly (argon2id), a few at a time. Those for whom it is done, named by `turn`, take turns. Throws
 * TooMany where too many of one wait.
 */
export type Passwords = {
  hash(password: string, turn: string): Promise<string>;
  /** Takes as long for a null hash as for a real one. */
  verify(password: string, hash: string | null, turn: string): Promise<boolean>;
};

/** A sliding window of calls per key, shared by all processes of an installation. Throws where it cannot be reached. */
export type RateWindow = {
  /** Counts one call if fewer than `limit` were counted in the last `windowMs`; a refused call is not counted. */
  take(key: string, limit: number, windowMs: number): Promise<RateTake>;
  /** Takes a counted call back. */
  giveBack(key: string, slot: string): Promise<void>;
};

/** `slot` is null for a refused call; `remaining` counts after this call; `resetMs`: until the oldest call leaves the window. */
export type RateTake = { slot: string | null; remaining: number; resetMs: number };
