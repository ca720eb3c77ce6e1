import type { Id } from '#core/ids.ts';
import type { SessionStore, User } from './access.ts';
import { hashSecret, newSecret } from './secrets.ts';

type Ports = { sessions: SessionStore; clock: () => Date };

/** How long a web session lives after its last use. */
export const sessionMs = 14 * 86_400_000;
/** A session's end is moved on at most this often, so that reading writes little. */
const extendEveryMs = 3_600_000;

/** Begins a session; the answer is what the cookie holds. */
export async function beginSession({ sessions, clock }: Ports, userId: Id): Promise<string> {
  const secret = newSecret();
  await sessions.insert(hashSecret(secret), userId, new Date(clock().getTime() + sessionMs));
  return secret;
}

/** Whose session it is, or null. `extended` asks for the cookie to be sent anew. */
export async function identifyBySession(
  { sessions, clock }: Ports,
  secret: string,
): Promise<{ user: User; extended: boolean } | null> {
  const hash = hashSecret(secret);
  const now = clock();
  const found = await sessions.find(hash, now);
  if (found === null) return null;
  const expiresAt = new Date(now.getTime() + sessionMs);
  const extended = expiresAt.getTime() - found.expiresAt.getTime() >= extendEveryMs;
  if (extended) await sessions.extend(hash, expiresAt);
  return { user: found.user, extended };
}

/** Ends the session, if there is one. */
export async function endSession({ sessions }: Ports, secret: string): Promise<void> {
  await sessions.remove(hashSecret(secret));
}
