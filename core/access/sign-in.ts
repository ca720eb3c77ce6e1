import type { RowStore } from '#core/change.ts';
import { Invalid, invalid, Unauthenticated, unlessTaken } from '#core/errors.ts';
import type { LimitName } from '#core/limits.ts';
import type { ApiKeyStore, KeyHolder, Passwords, SessionOrigin, User, UserStore } from './access.ts';
import { identifyByKey } from './api-keys.ts';
import { type AttemptPorts, countAttempt } from './attempts.ts';
import { clientNetwork } from './client-network.ts';
import { parseEmail, readEmail } from './email.ts';
import { hashSecret } from './secrets.ts';
import { addUser, setPassword } from './user-changes.ts';

type Ports = AttemptPorts & {
  rows: RowStore;
  users: UserStore;
  apiKeys: ApiKeyStore;
  passwords: Passwords;
  clock: () => Date;
};

/** User or API key that signed in, and the proof that starts a session. */
export type SignedIn = { holder: { user: User } | KeyHolder; origin: SessionOrigin };

const hourMs = 3_600_000;

/** Creates a user. Throws Invalid if the email address is taken, and TooMany. */
export async function register(
  ports: Ports,
  email: string,
  password: string,
  clientAddress: string,
): Promise<SignedIn> {
  const network = clientNetwork(clientAddress);
  const sentence = 'Too many registrations from this address';
  await countAttempt(ports, `register:${network}`, 'access.registrations', sentence);
  const known = readEmail(email);
  const passwordHash = await ports.passwords.hash(password, network);
  const wanted = { email: known, passwordHash, now: ports.clock() };
  const user = await unlessTaken(ports.rows.change(addUser, wanted));
  if (user === null) throw invalid('email', 'is already registered');
  return { holder: { user }, origin: { passwordHash } };
}

/**
 * Signs in with an email address and password, or with an API key. Failed sign-ins never block a valid key, because nobody can guess one.
 * Throws Unauthenticated, identical for all causes, and TooMany.
 */
export async function signIn(
  ports: Ports,
  credentials: { email: string; password: string } | { apiKey: string },
  clientAddress: string,
): Promise<SignedIn> {
  const byKey = 'apiKey' in credentials ? await checkKey(ports, credentials.apiKey) : null;
  if (byKey !== null) return byKey;
  const windows =
    'apiKey' in credentials
      ? windowsOf(clientAddress, { keyHash: hashSecret(credentials.apiKey) })
      : windowsOf(clientAddress, { email: parseEmail(credentials.email) ?? credentials.email });
  return attempt(ports, windows, async () => {
    const signedIn =
      'apiKey' in credentials
        ? null
        : await checkPassword(ports, credentials.email, credentials.password, clientAddress);
    if (signedIn === null) throw new Unauthenticated('Wrong email, password or API key');
    return signedIn;
  });
}

/** Changes the password and ends the user's other web sessions. Throws Invalid if the current password is wrong, and TooMany. */
export async function changePassword(
  ports: Ports,
  user: User,
  passwords: { current: string; next: string },
  sessionSecret: string | null,
  clientAddress: string,
): Promise<void> {
  await attempt(ports, windowsOf(clientAddress, { email: user.email }), async () => {
    if ((await checkPassword(ports, user.email, passwords.current, clientAddress)) === null) {
      throw invalid('current', 'is wrong');
    }
  });
  const passwordHash = await ports.passwords.hash(passwords.next, clientNetwork(clientAddress));
  const keep = sessionSecret === null ? null : hashSecret(sessionSecret);
  await ports.rows.change(setPassword, { user: user.id, passwordHash, keep });
}

async function checkKey(ports: Ports, apiKey: string): Promise<SignedIn | null> {
  const found = await identifyByKey(ports, apiKey);
  return found && { holder: found, origin: { key: found.key.id } };
}

async function checkPassword(
  ports: Ports,
  email: string,
  password: string,
  clientAddress: string,
): Promise<SignedIn | null> {
  const found = await ports.users.find({ email: parseEmail(email) ?? email });
  const passwordHash = found?.passwordHash ?? null;
  const right = await ports.passwords.verify(password, passwordHash, clientNetwork(clientAddress));
  return right && found !== null && passwordHash !== null && found.disabledAt === null
    ? { holder: { user: found.user }, origin: { passwordHash } }
    : null;
}

type Window = { key: string; limit: LimitName; windowMs?: number };

/**
 * Returns the windows that count a failed sign-in. A sign-in with an API key counts the key instead of the email address, and has no
 * window over all addresses.
 */
function windowsOf(clientAddress: string, by: { email: string } | { keyHash: string }): Window[] {
  const network = clientNetwork(clientAddress);
  const name = 'email' in by ? by.email : by.keyHash;
  const windows: Window[] = [
    { key: `sign-in:${network}`, limit: 'access.failuresPerAddress' },
    { key: `sign-in:${network}:${name}`, limit: 'access.failuresPerAddressAndEmail' },
  ];
  if ('email' in by) {
    windows.push({ key: `sign-in:*:${name}`, limit: 'access.failuresPerEmail', windowMs: hourMs });
  }
  return windows;
}

/**
 * Reserves a place in each window before the check, so parallel guesses count. Gives the places back unless the check refused the
 * credentials. Throws TooMany if a window is full.
 */
async function attempt<T>(ports: Ports, windows: Window[], check: () => Promise<T>): Promise<T> {
  const taken: { key: string; slot: string }[] = [];
  const giveBack = async () => {
    for (const { key, slot } of taken) await ports.attempts.giveBack(key, slot);
  };
  const sentence = 'Too many failed sign-ins: wait before you try again';
  try {
    for (const { key, limit, windowMs } of windows)
      taken.push({ key, slot: await countAttempt(ports, key, limit, sentence, windowMs) });
    const result = await check();
    await giveBack();
    return result;
  } catch (error) {
    // A check that could not run says nothing about the credentials.
    if (!(error instanceof Unauthenticated || error instanceof Invalid)) await giveBack();
    throw error;
  }
}
