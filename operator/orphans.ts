import type { Log } from '#core/log.ts';
import type { ManagedKind, Orphan } from '#core/managers/manager.ts';
import type { Metrics } from '#core/metrics.ts';
import type { Services } from '#core/services.ts';
import type { Informers } from './informers.ts';
import { listManagedThings, type ManagedThing, standsFor, wholeTenant } from './managed-things.ts';
import type { NamespaceState } from './namespaces.ts';
import type { ResourceApi } from './resource-api.ts';
import { managerOf, type Resource } from './resources.ts';
import { ForeignTenant, type Tenant, type Tenants } from './tenants.ts';

type Ports = Pick<Services, 'domains' | 'accounts' | 'apiKeys' | 'managers' | 'cascade' | 'clock'> & {
  api: Pick<ResourceApi, 'read'>;
  informers: Pick<Informers, 'covers' | 'get' | 'all'>;
  tenants: Tenants;
  cluster: () => string;
  gracePeriodMs: number;
  stateOfNamespace(name: string): Promise<NamespaceState>;
  isLeading(): boolean;
  /** Tells people of a namespace what in it will be removed, as an Event. */
  warn(namespace: string, message: string): Promise<void>;
  log: Pick<Log, 'info' | 'warn'>;
  metrics: Pick<Metrics, 'orphans' | 'foreignThings'>;
};

/** Looks for things whose resources are missing. They were deleted without a finalizer, or have not been made again yet. */
export type Orphans = {
  /** Notes new orphans and removes those of which the grace period is over. Gives when the next one is due, ms from now. */
  sweep(): Promise<number>;
  /** Forgets the orphan that a resource stands for: it is no orphan any more. */
  returned(resource: Resource): Promise<void>;
  /** Sets the metrics back, for another process counts now. */
  reset(): void;
};

type Noted = { thing: ManagedThing; since: Date };

export function createOrphans(ports: Ports): Orphans {
  const { managers, informers, tenants, clock, gracePeriodMs, log, metrics, isLeading } = ports;
  let orphans: Noted[] = [];
  let foreignBefore = '';

  const measure = () =>
    setCounts(
      metrics.orphans,
      orphans.map(({ thing }) => thing),
    );

  /** Our cluster's tenants that we look after, and all others. One without a cluster is ours once it has a resource here. */
  const divide = async (): Promise<{ own: Tenant[]; foreign: Tenant[] }> => {
    const inUse = new Set(informers.all().map(({ metadata }) => metadata.namespace));
    const all = await tenants.list();
    for (const { namespace, cluster } of all) {
      if (cluster === null && inUse.has(namespace)) await tenants.find(namespace).catch(ignoreForeign);
    }
    const claimed = inUse.size === 0 ? all : await tenants.list();
    const isOwn = ({ cluster }: Tenant) => cluster === ports.cluster();
    return {
      own: claimed.filter((tenant) => isOwn(tenant) && informers.covers(tenant.namespace)),
      foreign: claimed.filter((tenant) => !isOwn(tenant)),
    };
  };

  const tellForeign = async (foreign: Tenant[]) => {
    const things = await listManagedThings(ports, foreign);
    setCounts(metrics.foreignThings, things);
    const clusters = [...new Set(foreign.map(({ cluster }) => cluster ?? 'unknown'))].sort();
    const summary = JSON.stringify([clusters, things.length]);
    if (things.length > 0 && summary !== foreignBefore) {
      const what = { clusters, things: things.length, cluster: ports.cluster() };
      log.warn(
        { event: 'foreign.kept', ...what },
        'the store has things of other clusters, which are left alone; SANDPOST_CLUSTER_ID lets this one continue another',
      );
    }
    foreignBefore = summary;
  };

  /** In our copy or, to be sure, in the API server. */
  const isWanted = async (thing: ManagedThing): Promise<boolean> => {
    if (thing.key === null) return !(await isGone(thing.namespace));
    return standsFor(informers.get(thing.key), thing) || standsFor(await ports.api.read(thing.key), thing);
  };

  const isGone = async (namespace: string): Promise<boolean> => {
    const isInUse = informers.all().some(({ metadata }) => metadata.namespace === namespace);
    return !isInUse && (await ports.stateOfNamespace(namespace)) === 'gone';
  };

  const remove = async ({ thing, since }: Noted) => {
    await thing.remove();
    await managers.forgetOrphan(thing.kind, thing.id);
    log.info({ event: 'orphan.removed', ...wordsOf(thing), since }, 'its resource did not come back');
  };

  const note = async (thing: ManagedThing): Promise<Noted> => {
    const since = clock();
    await managers.noteOrphan({ owner: thing.owner, kind: thing.kind, id: thing.id, since });
    const until = new Date(since.getTime() + gracePeriodMs);
    log.warn({ event: 'orphan.noted', ...wordsOf(thing), until }, 'its resource is missing');
    return { thing, since };
  };

  const forget = async ({ kind, id }: Pick<Orphan, 'kind' | 'id'>) => managers.forgetOrphan(kind, id);

  const warnNamespaces = async () => {
    for (const [namespace, list] of Map.groupBy(orphans, ({ thing }) => thing.namespace)) {
      const kept = list.filter(({ thing }) => thing.key !== null);
      if (kept.length > 0) await ports.warn(namespace, warningOf(kept, gracePeriodMs));
    }
  };

  return {
    async sweep() {
      const { own, foreign } = await divide();
      await tellForeign(foreign);
      const known = new Map((await managers.orphans()).map((orphan) => [keyOf(orphan), orphan]));
      const found: Noted[] = [];
      const things = [
        ...(await listManagedThings(ports, own)),
        ...own.map((tenant) => wholeTenant(ports, tenant)),
      ];
      for (const thing of things) {
        if (!informers.covers(thing.namespace) || (await isWanted(thing))) continue;
        if (!isLeading()) return Number.POSITIVE_INFINITY;
        const since = known.get(keyOf(thing))?.since;
        const noted = since === undefined ? await note(thing) : { thing, since };
        if (clock().getTime() - noted.since.getTime() >= gracePeriodMs) await remove(noted);
        else found.push(noted);
      }
      const owners = new Set(own.map(({ owner }) => owner));
      const current = new Set(found.map(({ thing }) => keyOf(thing)));
      for (const orphan of known.values()) {
        if (owners.has(orphan.owner) && !current.has(keyOf(orphan)) && isLeading()) await forget(orphan);
      }
      orphans = found;
      measure();
      await warnNamespaces();
      const first = Math.min(...found.map(({ since }) => since.getTime()));
      return Math.max(0, first + gracePeriodMs - clock().getTime());
    },
    async returned(resource) {
      const back = orphans.filter(({ thing }) => standsFor(resource, thing));
      for (const noted of back) {
        await forget(noted.thing);
        orphans = orphans.filter((one) => one !== noted);
        log.info({ event: 'orphan.returned', ...wordsOf(noted.thing) }, 'its resource is back');
      }
      if (back.length > 0) measure();
    },
    reset() {
      orphans = [];
      metrics.orphans.reset();
      metrics.foreignThings.reset();
    },
  };
}

const keyOf = ({ kind, id }: Pick<Orphan, 'kind' | 'id'>) => `${kind}/${id}`;

function setCounts(gauge: Metrics['orphans'], things: ManagedThing[]): void {
  const kinds: ManagedKind[] = ['user', 'domain', 'account', 'api-key'];
  for (const kind of kinds) gauge.set({ kind }, things.filter((thing) => thing.kind === kind).length);
}

function wordsOf({ kind, id, namespace, key, name }: ManagedThing) {
  return { kind, id, namespace, resource: key === null ? null : managerOf(key), name };
}

const mostNamed = 10;

function warningOf(orphans: Noted[], gracePeriodMs: number): string {
  const first = Math.min(...orphans.map(({ since }) => since.getTime()));
  const names = orphans
    .flatMap(({ thing: { key } }) => (key === null ? [] : [`${key.kind} ${key.name}`]))
    .sort();
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  const until = new Date(first + gracePeriodMs).toISOString();
  return `${names.slice(0, mostNamed).join(', ')}${more}: the resource is missing, and what it made, mail included, is removed from ${until} on unless the resource is made again`;
}

function ignoreForeign(error: unknown): void {
  if (!(error instanceof ForeignTenant)) throw error;
}
