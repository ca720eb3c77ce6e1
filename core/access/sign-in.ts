import { invalid, TooMany, Unauthenticated } from '#core/errors.ts';
import type { ApiKeyStore, Passwords, RateWindow, SessionStore, User, UserStore } from './access.ts';
import { identifyByKey } from './api-keys.ts';
import { hashSecret } from './secrets.ts';

type Ports = {
  users: UserStore;
  apiKeys: ApiKeyStore;
  sessions: SessionStore;
  passwords: Passwords;
  /** Counts tries to sign in, whatever else is out of order. */
  attempts: RateWindow;
  clock: () => Date;
};

const minuteMs = 60_000;
const failuresPerMinute = 10;
const registrationsPerMinute = 60;

/** Makes a user. Throws Invalid for a taken e-mail, TooMany. */
export async function register(
  ports: Ports,
  email: string,
  password: string,
  clientAddress: string,
): Promise<User> {
  const { slot, resetMs } = await ports.attempts.take(
    `register:${clientAddress}`,
    registrationsPerMinute,
    minuteMs,
  );
  if (slot === null) throw new TooMany('Too many registrations from this address', resetMs);
  const user = await ports.users.insert(
    email.toLowerCase(),
    await ports.passwords.hash(password),
    ports.clock(),
  );
  if (user === null) throw invalid('email', 'is already registered');
  return user;
}

/** Who signs in with e-mail and password, or with an API key. Throws Unauthenticated, the same for all causes; TooMany. */
export async function signIn(
  ports: Ports,
  credentials: { email: string; password: string } | { apiKey: string },
  clientAddress: string,
): Promise<User> {
  const byKey = 'apiKey' in credentials;
  const windows = [`sign-in:${clientAddress}`];
  if (!byKey) windows.push(`sign-in:${clientAddress}:${credentials.email.toLowerCase()}`);
  // Slots are taken before the work and given back on success: parallel guesses cannot slip past the count.
  const giveBack = await takeAll(ports.attempts, windows);
  const user = byKey
    ? await identifyByKey(ports, credentials.apiKey)
    : await checkPassword(ports, credentials.email, credentials.password);
  if (user === null) throw new Unauthenticated('E-mail, password or API key is wrong');
  await giveBack();
  return user;
}

/** Changes the password and ends the user's other web sessions. Throws Invalid for a wrong current one; TooMany. */
export async function changePassword(
  ports: Ports,
  user: User,
  passwords: { current: string; next: string },
  sessionSecret: string | null,
  clientAddress: string,
): Promise<void> {
  const giveBack = await takeAll(ports.attempts, [`sign-in:${clientAddress}:${user.email}`]);
  if ((await checkPassword(ports, user.email, passwords.current)) === null) {
    throw invalid('current_password', 'is wrong');
  }
  await giveBack();
  await ports.users.setPassword(user.id, await ports.passwords.hash(passwords.next));
  await ports.sessions.removeOthers(user.id, sessionSecret === null ? '' : hashSecret(sessionSecret));
}

async function checkPassword(ports: Ports, email: string, password: string): Promise<User | null> {
  const found = await ports.users.findByEmail(email.toLowerCase());
  const right = await ports.passwords.verify(password, found?.passwordHash ?? null);
  return right && found !== null ? found.user : null;
}

async function takeAll(attempts: RateWindow, keys: string[]): Promise<() => Promise<void>> {
  const taken: { key: string; slot: string }[] = [];
  const giveBack = async () => {
    for (const { key, slot } of taken) await attempts.giveBack(key, slot);
  };
  for (const key of keys) {
    const { slot, resetMs } = await attempts.take(key, failuresPerMinute, minuteMs);
    if (slot === null) {
      await giveBack();
      throw new TooMany('Too many failed sign-ins: wait before the next try', resetMs);
    }
    taken.push({ key, slot });
  }
  return giveBack;
}
