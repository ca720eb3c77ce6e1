import { deleteDomain } from '#core/domains/change-domain.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#core/services.ts';

const prefix = 'namespace/';
const page = { page: 1, limit: 200 };

/** A namespace of this name belongs to another cluster on the same store; nothing of it is ours to see or change. */
export class ForeignTenant extends Error {
  override name = 'ForeignTenant';
}

/** The service user of a namespace, and the cluster whose namespace it is; null where no cluster has claimed it. */
export type Tenant = { namespace: string; owner: Id; cluster: string | null };

/** The service users of our cluster's namespaces. */
export type Tenants = {
  /**
   * The user that everything of a namespace belongs to, or null where nothing ever did. One that no cluster has claimed
   * yet is claimed. Throws ForeignTenant.
   */
  find(namespace: string): Promise<Id | null>;
  /** The same, made where it is missing. */
  ensure(namespace: string): Promise<Id>;
  /** Those of all clusters. */
  list(): Promise<Tenant[]>;
};

export function createTenants(
  { users, archive, managers, clock }: Pick<Services, 'users' | 'archive' | 'managers' | 'clock'>,
  cluster: () => string,
): Tenants {
  const find = async (namespace: string): Promise<Id | null> => {
    const found = await users.findByEmail(`${prefix}${namespace}`);
    if (found === null) return null;
    const holder = await managers.claim(found.user.id, cluster());
    if (holder !== cluster()) throw new ForeignTenant(`${namespace} is a namespace of the cluster ${holder}`);
    return found.user.id;
  };
  return {
    find,
    async ensure(namespace) {
      await users.insert(`${prefix}${namespace}`, null, clock());
      const owner = await find(namespace);
      if (owner === null) throw new Error(`the service user of ${namespace} cannot be made`);
      return owner;
    },
    async list() {
      const [all, claims] = await Promise.all([archive.users(), managers.claims()]);
      return all
        .filter(({ email }) => email.startsWith(prefix))
        .map(({ id, email }) => ({
          namespace: email.slice(prefix.length),
          owner: id,
          cluster: claims.get(id) ?? null,
        }));
    },
  };
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
