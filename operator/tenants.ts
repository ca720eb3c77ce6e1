import { unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { namespacePrefix } from '#core/teams/team.ts';
import { addTeam } from '#core/teams/team-changes.ts';
import type { Services } from '#setup/services.ts';

/** Namespace whose name is claimed by another cluster on the same store. Its objects must not be read or changed. */
export class ForeignTenant extends Error {
  override name = 'ForeignTenant';
}

/** Team of a namespace, and the cluster that has claimed it; null where none has. */
export type Tenant = { namespace: string; owner: Id; cluster: string | null };

/** Number of teams that are read at a time. */
const teamsAtOnce = 500;

/** Teams that own all objects of a namespace each. */
export type Tenants = ReturnType<typeof createTenants>;

export function createTenants(
  { rows, teams, managers, clock }: Pick<Services, 'rows' | 'teams' | 'managers' | 'clock'>,
  cluster: () => string,
) {
  /** Finds a namespace's team, or null, and claims it for this cluster. Throws ForeignTenant. */
  const find = async (namespace: string): Promise<Id | null> => {
    const team = await teams.find({ managed: `${namespacePrefix}${namespace}` });
    if (team === null) return null;
    const holder = await managers.claim(team.id, cluster());
    if (holder !== cluster()) throw new ForeignTenant(`${namespace} is a namespace of the cluster ${holder}`);
    return team.id;
  };
  return {
    find,
    /** Finds or creates a namespace's team, and claims it for this cluster. Throws ForeignTenant. */
    async ensure(namespace: string): Promise<Id> {
      const known = await find(namespace);
      if (known !== null) return known;
      const name = `${namespacePrefix}${namespace}`;
      await unlessTaken(rows.change(addTeam, { name, kind: 'managed', now: clock() }));
      const owner = await find(namespace);
      if (owner === null) throw new Error(`the team of ${namespace} cannot be created`);
      return owner;
    },
    /** Lists the tenants of all clusters. */
    async list(): Promise<Tenant[]> {
      const claims = await managers.claims();
      const tenants: Tenant[] = [];
      for (let page = 1; ; page += 1) {
        const { items } = await teams.list({ page, limit: teamsAtOnce });
        for (const { id, name, kind } of items) {
          if (kind !== 'managed' || !name.startsWith(namespacePrefix)) continue;
          const namespace = name.slice(namespacePrefix.length);
          tenants.push({ namespace, owner: id, cluster: claims.get(id) ?? null });
        }
        if (items.length < teamsAtOnce) return tenants;
      }
    },
  };
}
