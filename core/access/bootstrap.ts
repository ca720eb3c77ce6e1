import type { ApiKeyStore, Passwords, UserStore } from './access.ts';
import { offerApiKey } from './api-keys.ts';

type Ports = { users: UserStore; apiKeys: ApiKeyStore; passwords: Passwords; clock: () => Date };

/**
 * Creates the user and the key that the settings name, where they are missing. Many processes may run it at once and repeat
 * it.
 */
export async function bootstrap(
  ports: Ports,
  { email, password, apiKey }: { email: string; password: string; apiKey: string | null },
): Promise<void> {
  let found = await ports.users.findByEmail(email);
  if (found === null) {
    const passwordHash = await ports.passwords.hash(password, email);
    await ports.users.insert(email, passwordHash, ports.clock(), { emailVerified: true });
    found = await ports.users.findByEmail(email);
  }
  if (found === null || apiKey === null) return;
  await offerApiKey(ports, found.user.id, { name: 'bootstrap', createdBy: found.user }, apiKey);
}
