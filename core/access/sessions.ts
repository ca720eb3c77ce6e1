import type { RowStore } from '#core/change.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { KeyHolder, SessionOrigin, SessionStore, User } from './access.ts';
import { isExpired } from './api-keys.ts';
import { type AttemptPorts, countAttempt } from './attempts.ts';
import { hashSecret, newSecret } from './secrets.ts';
import { beginSession as begin } from './user-changes.ts';

type Ports = { sessions: SessionStore; clock: () => Date };

const dayMs = 86_400_000;
/** Time after its last use at which a web session expires. */
export const sessionMs = 14 * dayMs;
/** Maximum lifetime of a web session after the sign-in, even if it is in use. */
const mostSessionMs = 90 * dayMs;
/** Minimum extension of a session that is written to the store, to avoid a write for each read. */
const extendEveryMs = 3_600_000;

/**
 * Starts a session and returns the cookie's secret. If the user has too many sessions, ends the one that would expire first. Throws
 * TooMany, and throws Unauthenticated if the key was revoked or the password changed in the meantime.
 */
export async function beginSession(
  ports: AttemptPorts & { rows: RowStore; clock: () => Date },
  user: Id,
  origin: SessionOrigin,
): Promise<string> {
  const { rows, metrics, clock } = ports;
  // Sign-ins with a key count separately: somebody who has a key must not be able to keep its creator from signing in.
  const party = 'key' in origin ? `key:${origin.key}` : user;
  await countAttempt(ports, `sessions:${party}`, 'access.signIns', 'Too many sign-ins for this user');
  const secret = newSecret();
  const createdAt = clock();
  const expiresAt = new Date(createdAt.getTime() + sessionMs);
  const session = { user, ...origin, hash: hashSecret(secret), createdAt, expiresAt };
  const ended = await rows.change(begin, { ...session, most: limits.owned.sessions });
  if (ended === null) throw new Unauthenticated('Wrong email, password or API key');
  if (ended > 0) metrics.limitReached('owned.sessions');
  return secret;
}

/**
 * Finds a session's user or API key. Returns null if the session does not exist. `extended` is true if the cookie must be sent again.
 * `stored` looks up the session: if the call belongs to a request, it is the request's reader.
 */
export async function identifyBySession(
  { sessions, clock }: Ports,
  secret: string,
  stored: Pick<SessionStore, 'find'> = sessions,
): Promise<{ holder: { user: User } | KeyHolder; extended: boolean } | null> {
  const hash = hashSecret(secret);
  const now = clock();
  const found = await stored.find(hash, now);
  if (found === null) return null;
  if ('key' in found.holder && isExpired(found.holder.key, now)) return null;
  const latest = found.createdAt.getTime() + mostSessionMs;
  const expiresAt = new Date(Math.min(now.getTime() + sessionMs, latest));
  const extended = expiresAt.getTime() - found.expiresAt.getTime() >= extendEveryMs;
  if (extended) await sessions.extend(hash, expiresAt);
  return { holder: found.holder, extended };
}

export async function endSession({ sessions }: Ports, secret: string): Promise<void> {
  await sessions.remove(hashSecret(secret));
}
