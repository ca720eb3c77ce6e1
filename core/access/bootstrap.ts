import type { RowStore } from '#core/change.ts';
import { Taken, unlessTaken } from '#core/errors.ts';
import type { ApiKeyStore, Passwords, User, UserStore } from './access.ts';
import { offerApiKey } from './api-keys.ts';
import { hashSecret } from './secrets.ts';
import { addUser } from './user-changes.ts';

type Ports = {
  rows: RowStore;
  users: UserStore;
  apiKeys: Pick<ApiKeyStore, 'findByHash'>;
  passwords: Passwords;
  clock: () => Date;
};

/** Email address of the user that is created if the settings name no address. */
export const ownEmail = 'bootstrap@sandpost.test';

/**
 * User and API key to create. A null `password` creates a user without a password. `capture` is the account whose mail the key may read,
 * if the key is limited to an account.
 */
type Wanted = { email: string; password: string | null; apiKey: string | null; capture?: string | null };

/**
 * Creates the user and the key that the settings name, if they are missing. Many processes may run this function at the same time and
 * repeatedly. Throws Taken if the settings name no password and somebody else has registered the user's email address, or if the key for
 * an account's mail belongs to another team.
 */
export async function bootstrap(
  ports: Ports,
  { email, password, apiKey, capture = null }: Wanted,
): Promise<User> {
  let found = await ports.users.find({ email });
  if (found === null) {
    const passwordHash = password === null ? null : await ports.passwords.hash(password, email);
    const wanted = { email, passwordHash, now: ports.clock(), emailVerified: true };
    await unlessTaken(ports.rows.change(addUser, wanted));
    found = await ports.users.find({ email });
  }
  if (found === null) throw new Error(`The user ${email} was removed while being created`);
  const { user, passwordHash } = found;
  if (password === null && passwordHash !== null)
    throw new Taken([{ field: 'email', message: `${email} is already registered` }]);
  if (apiKey === null) return user;
  const kept = await offerApiKey(ports, user.id, { name: 'bootstrap', createdBy: user }, apiKey);
  if (kept === null && capture !== null) {
    const there = await ports.apiKeys.findByHash(hashSecret(apiKey));
    if (there !== null && there.key.owner !== user.id)
      throw new Taken([{ field: 'apiKey', message: `the key and ${email} belong to different teams` }]);
  }
  return user;
}
