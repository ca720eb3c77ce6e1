import { namespacePrefix } from '#core/access/people.ts';
import { unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { allOf } from '#core/page.ts';
import { addTeam } from '#core/teams/team-changes.ts';
import type { Services } from '#setup/services.ts';

/** Error for a namespace that another cluster on the same store has claimed. The namespace's objects must not be read or changed. */
export class ForeignTenant extends Error {
  override name = 'ForeignTenant';
}

/** Namespace's team, and the cluster that has claimed it, or null. */
export type Tenant = { namespace: string; owner: Id; cluster: string | null };

/** Teams of namespaces. Each owns all of its namespace's objects. */
export type Tenants = ReturnType<typeof createTenants>;

export function createTenants(
  { rows, teams, managers, clock }: Pick<Services, 'rows' | 'teams' | 'managers' | 'clock'>,
  cluster: () => string,
) {
  /** Finds a namespace's team and claims it for this cluster. Returns null if there is no team. Throws ForeignTenant. */
  const find = async (namespace: string): Promise<Id | null> => {
    const team = await teams.find({ managed: `${namespacePrefix}${namespace}` });
    if (team === null) return null;
    const holder = await managers.claim(team.id, cluster());
    if (holder !== cluster())
      throw new ForeignTenant(`the namespace ${namespace} belongs to the cluster ${holder}`);
    return team.id;
  };
  return {
    find,
    /** Finds or creates a namespace's team, and claims the team for this cluster. Throws ForeignTenant. */
    async ensure(namespace: string): Promise<Id> {
      const known = await find(namespace);
      if (known !== null) return known;
      const name = `${namespacePrefix}${namespace}`;
      await unlessTaken(rows.change(addTeam, { name, kind: 'managed', now: clock() }));
      const owner = await find(namespace);
      if (owner === null) throw new Error(`could not create a team for the namespace ${namespace}`);
      return owner;
    },
    /** Lists all clusters' tenants. */
    async list(): Promise<Tenant[]> {
      const claims = await rows.read('claims', {});
      const all = await allOf((page) => rows.list('teams', {}, page));
      return all
        .filter(({ name, kind }) => kind === 'managed' && name.startsWith(namespacePrefix))
        .map(({ id, name }) => ({
          namespace: name.slice(namespacePrefix.length),
          owner: id,
          cluster: claims.get(id) ?? null,
        }));
    },
  };
}
