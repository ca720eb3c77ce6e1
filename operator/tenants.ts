import type { Id } from '#core/ids.ts';
import type { Services } from '#core/services.ts';

const prefix = 'namespace/';

/** Namespace whose name is claimed by another cluster on the same store. Its objects must not be read or changed. */
export class ForeignTenant extends Error {
  override name = 'ForeignTenant';
}

/** Service user of a namespace, and the cluster that has claimed it; null where none has. */
export type Tenant = { namespace: string; owner: Id; cluster: string | null };

/** Service users, which own all objects of a namespace. */
export type Tenants = {
  /** Finds a namespace's user, or null, and claims it for this cluster. Throws ForeignTenant. */
  find(namespace: string): Promise<Id | null>;
  /** Finds or creates a namespace's user, and claims it for this cluster. Throws ForeignTenant. */
  ensure(namespace: string): Promise<Id>;
  /** Lists the tenants of all clusters. */
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
      if (owner === null) throw new Error(`the service user of ${namespace} cannot be created`);
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
