import { deleteDomain } from '#core/domains/change-domain.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#core/services.ts';

const prefix = 'namespace/';
const page = { page: 1, limit: 200 };

/** The service user that everything of a namespace belongs to, or null where nothing ever did. */
export async function findTenant({ users }: Pick<Services, 'users'>, namespace: string): Promise<Id | null> {
  return (await users.findByEmail(`${prefix}${namespace}`))?.user.id ?? null;
}

/** The same, made where it is missing. */
export async function ensureTenant(
  services: Pick<Services, 'users' | 'clock'>,
  namespace: string,
): Promise<Id> {
  const made = await services.users.insert(`${prefix}${namespace}`, null, services.clock());
  const id = made?.id ?? (await findTenant(services, namespace));
  if (id === null) throw new Error(`the service user of ${namespace} cannot be made`);
  return id;
}

/** Every namespace that has ever had something. */
export async function listTenants({
  archive,
}: Pick<Services, 'archive'>): Promise<{ namespace: string; owner: Id }[]> {
  return (await archive.users())
    .filter(({ email }) => email.startsWith(prefix))
    .map(({ id, email }) => ({ namespace: email.slice(prefix.length), owner: id }));
}

/** Removes all that a namespace has, whether resources or the API made it. */
export async function emptyTenant(
  services: Pick<Services, 'domains' | 'apiKeys' | 'cascade' | 'clock'>,
  owner: Id,
): Promise<void> {
  for (;;) {
    const { items } = await services.domains.list(owner, {}, page);
    if (items.length === 0) break;
    for (const { id, managedBy } of items) {
      await deleteDomain(services, owner, id, managedBy).catch(ignoreGone);
    }
  }
  for (;;) {
    const { items } = await services.apiKeys.list(owner, page);
    if (items.length === 0) return;
    for (const { id } of items) await services.apiKeys.remove(owner, id);
  }
}

/** What somebody else removed in the meantime is removed. */
export function ignoreGone(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
