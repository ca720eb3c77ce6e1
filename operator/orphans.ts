import { type ManagedKind, never, type Orphan } from '#core/managers/manager.ts';
import type { Services } from '#setup/services.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { NamespaceState } from './cluster.ts';
import { apiGroup } from './group.ts';
import { type Kinds, withObjects } from './kinds.ts';
import { listManagedObjects, type ManagedObject, objectsOfTenant } from './managed-objects.ts';
import { managerOf } from './manager.ts';
import { statusCodeOf } from './runtime/api-errors.ts';
import type { Informers } from './runtime/informers.ts';
import { hasFinalizer, type Resource } from './runtime/resource.ts';
import type { ResourceApi } from './runtime/resource-api.ts';
import { ForeignTenant, type Tenant, type Tenants } from './tenants.ts';

type Ports = Pick<Services, 'rows' | 'managers' | 'clock'> & {
  kinds: Kinds;
  api: Pick<ResourceApi, 'read'>;
  informers: Pick<Informers, 'covers' | 'get' | 'all' | 'chooses' | 'copies'>;
  selector: string | null;
  tenants: Tenants;
  cluster: () => string;
  gracePeriodMs: number;
  stateOfNamespace(name: string): Promise<NamespaceState>;
  isLeading(): boolean;
  /** Called once per term for a namespace that has lost the labels but whose resources still have finalizers. */
  onLost(namespace: string): void;
  /** Writes an Event that warns a namespace's users. */
  warn(namespace: string, reason: string, message: string): Promise<void>;
  log: Pick<Log, 'info' | 'warn'>;
  metrics: Pick<Metrics, 'orphans' | 'foreignThings'>;
};

/** Orphan, and when its grace period began. */
type Candidate = { object: ManagedObject; since: Date };

/**
 * Creates the handling of orphans: managed objects whose resource was deleted without its finalizer having run, or has not been restored
 * yet.
 */
export function createOrphans(ports: Ports) {
  const { kinds, rows, managers, informers, tenants, clock, gracePeriodMs, log, metrics, isLeading } = ports;
  const managedKinds: ManagedKind[] = ['team', ...withObjects(kinds).map(({ objects }) => objects.kind)];
  let orphans: Candidate[] = [];
  const lost = new Set<string>();
  let foreignBefore = '';

  const count = (gauge: Metrics['orphans'], objects: ManagedObject[]) => {
    for (const kind of managedKinds) {
      gauge.set({ kind }, objects.filter((object) => object.kind === kind).length);
    }
  };
  const objectOf = ({ object }: Candidate) => object;
  const countOrphans = () => count(metrics.orphans, orphans.map(objectOf));

  /**
   * Splits tenants into this cluster's, as far as the copies contain their namespaces, and other clusters'. Claims tenants that have
   * resources in this cluster.
   */
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

  /**
   * Reports namespaces that have lost the labels, because the operator may not have been running then, or may have stopped before it had
   * removed all finalizers. Reports each namespace only once, because another installation may add its finalizer, and by team, because
   * other installations' teams are in other stores.
   */
  const reportLost = (own: Tenant[]) => {
    for (const { namespace } of own) {
      if (informers.chooses(namespace) || lost.has(namespace)) continue;
      if (!informers.copies(namespace).some((copy) => hasFinalizer(copy, apiGroup.finalizer))) continue;
      lost.add(namespace);
      ports.onLost(namespace);
    }
  };

  /** Counts other clusters' objects, and logs if the count changes. */
  const reportForeign = async (foreign: Tenant[]) => {
    const objects = await listManagedObjects(kinds, foreign);
    count(metrics.foreignThings, objects);
    const clusters = [...new Set(foreign.map(({ cluster }) => cluster ?? 'unknown'))].sort();
    const summary = JSON.stringify([clusters, objects.length]);
    if (objects.length > 0 && summary !== foreignBefore) {
      log.warn(
        { event: 'foreign.kept', clusters, things: objects.length, cluster: ports.cluster() },
        "leaving other clusters' objects in the store unchanged; to take over one cluster's objects, set SANDPOST_CLUSTER_ID to its id",
      );
    }
    foreignBefore = summary;
  };

  /** Looks for the resource first in the copies, and then on the API server. If the API server refuses the read, keeps the object. */
  const hasResource = async ({ key, namespace, isManagedBy }: ManagedObject): Promise<boolean> => {
    if (!informers.chooses(namespace)) return false;
    if (key === null) return !(await isGone(namespace));
    if (isManagedBy(informers.get(key))) return true;
    try {
      return isManagedBy(await ports.api.read(key));
    } catch (error) {
      if (statusCodeOf(error) === 403) return true;
      throw error;
    }
  };

  const isGone = async (namespace: string): Promise<boolean> => {
    const isInUse = informers.all().some(({ metadata }) => metadata.namespace === namespace);
    return !isInUse && (await ports.stateOfNamespace(namespace)) === 'gone';
  };

  const remove = async ({ object, since }: Candidate) => {
    await object.remove();
    await forget(object);
    log.info({ event: 'orphan.removed', ...fieldsOf(object), since }, 'removed an orphan');
  };

  const record = async (object: ManagedObject): Promise<Candidate> => {
    const since = clock();
    // A mark that was set for earlier releases would keep its time.
    if (!object.mayBeRetained) await forget(object);
    await managers.markOrphan(object, since);
    const until = new Date(since.getTime() + gracePeriodMs);
    log.warn(
      { event: 'orphan.noted', ...fieldsOf(object), until },
      'the resource that this object belongs to is missing; the operator removes the object after the grace period',
    );
    return { object, since };
  };

  const forget = (object: Omit<Orphan, 'since'>) => managers.markOrphan(object, null);

  const warnNamespaces = async () => {
    for (const [namespace, list] of Map.groupBy(orphans, ({ object }) => object.namespace)) {
      const kept = list.filter(({ object }) => object.key !== null);
      if (kept.length === 0) continue;
      const isLost = !informers.chooses(namespace);
      const [what, remedy] = isLost
        ? [`resources in a namespace without the labels ${ports.selector}`, 'restore the labels']
        : ['missing resources', 'create the resources again'];
      await ports.warn(namespace, 'Orphaned', warningOf(kept, gracePeriodMs, what, remedy));
    }
  };

  return {
    /** Records new orphans, and removes orphans whose grace period has ended. Returns the delay in ms until the next removal. */
    async sweep(): Promise<number> {
      const { own, foreign } = await divide();
      await reportForeign(foreign);
      reportLost(own);
      const known = new Map((await rows.read('orphans', {})).map((orphan) => [nameOf(orphan), orphan]));
      const found: Candidate[] = [];
      const objects = [
        ...(await listManagedObjects(kinds, own)),
        ...own.map((tenant) => objectsOfTenant(kinds, rows, tenant)),
      ];
      const isMarked = (name: string) => (known.get(name)?.since ?? 0) >= never;
      for (const object of objects) {
        const name = nameOf(object);
        if (isMarked(name) && object.mayBeRetained) continue;
        if (!informers.covers(object.namespace) || (await hasResource(object))) continue;
        if (!isLeading()) return Number.POSITIVE_INFINITY;
        const since = isMarked(name) ? undefined : known.get(name)?.since;
        const orphan = since === undefined ? await record(object) : { object, since };
        if (clock().getTime() - orphan.since.getTime() >= gracePeriodMs) await remove(orphan);
        else found.push(orphan);
      }
      const owners = new Set(own.map(({ owner }) => owner));
      const marked = objects.map(nameOf).filter(isMarked);
      const current = new Set([...found.map(({ object }) => nameOf(object)), ...marked]);
      for (const orphan of known.values()) {
        if (owners.has(orphan.owner) && !current.has(nameOf(orphan)) && isLeading()) await forget(orphan);
      }
      orphans = found;
      countOrphans();
      await warnNamespaces();
      const first = earliestOf(found);
      return Math.max(0, first + gracePeriodMs - clock().getTime());
    },
    /** Ends the grace period of orphans that have a managing resource again. */
    async adopt(resource: Resource) {
      const adopted = orphans.filter(({ object }) => object.isManagedBy(resource));
      for (const orphan of adopted) {
        await forget(orphan.object);
        orphans = orphans.filter((one) => one !== orphan);
        log.info(
          { event: 'orphan.returned', ...fieldsOf(orphan.object) },
          'a resource exists again; its object is no longer an orphan',
        );
      }
      if (adopted.length > 0) countOrphans();
    },
    /** Forgets the orphans and clears their metrics at the end of a term. */
    reset() {
      orphans = [];
      lost.clear();
      metrics.orphans.reset();
      metrics.foreignThings.reset();
    },
  };
}

const nameOf = ({ kind, id }: Pick<Orphan, 'kind' | 'id'>) => `${kind}/${id}`;

/** Fields of a log line. */
function fieldsOf({ kind, id, namespace, key, name }: ManagedObject) {
  return { kind, id, namespace, resource: key === null ? null : managerOf(key), name };
}

/** Maximum number of resources that a warning names. */
const maxNames = 10;

/** Returns the time at which the earliest of the orphans became one. */
function earliestOf(orphans: Candidate[]): number {
  return orphans.reduce((first, { since }) => Math.min(first, since.getTime()), Number.POSITIVE_INFINITY);
}

function warningOf(orphans: Candidate[], gracePeriodMs: number, what: string, remedy: string): string {
  const first = earliestOf(orphans);
  const names = orphans
    .flatMap(({ object: { key } }) => (key === null ? [] : [`${key.kind} ${key.name}`]))
    .sort();
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const until = new Date(first + gracePeriodMs).toISOString();
  return `${what}: ${names.slice(0, maxNames).join(', ')}${more}. After ${until}, Sandpost deletes everything they created, including mail, unless you ${remedy}`;
}

function ignoreForeign(error: unknown): void {
  if (!(error instanceof ForeignTenant)) throw error;
}
