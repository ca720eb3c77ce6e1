import type { RowStore } from '#core/change.ts';
import { unlessTaken } from '#core/errors.ts';
import type { Passwords, UserStore } from './access.ts';
import { offerApiKey } from './api-keys.ts';
import { addUser } from './user-changes.ts';

type Ports = { rows: RowStore; users: UserStore; passwords: Passwords; clock: () => Date };

/**
 * Creates the user and the key that the settings name, where they are missing. Many processes may run it at once and repeat
 * it.
 */
export async function bootstrap(
  ports: Ports,
  { email, password, apiKey }: { email: string; password: string; apiKey: string | null },
): Promise<void> {
  let found = await ports.users.find({ email });
  if (found === null) {
    const passwordHash = await ports.passwords.hash(password, email);
    const wanted = { email, passwordHash, now: ports.clock(), emailVerified: true };
    await unlessTaken(ports.rows.change(addUser, wanted));
    found = await ports.users.find({ email });
  }
  if (found === null || apiKey === null) return;
  await offerApiKey(ports, found.user.id, { name: 'bootstrap', createdBy: found.user }, apiKey);
}
