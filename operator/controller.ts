import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Services } from '#setup/services.ts';
import type { NamespaceState } from './cluster.ts';
import type { Definitions } from './definitions.ts';
import { apiGroup } from './group.ts';
import { affectedBy, type Kinds, kindNamed } from './kinds.ts';
import { removeAll, watchManagedObjects } from './managed-objects.ts';
import { createOrphans } from './orphans.ts';
import { failureOf, type ReconcilePorts, recheckMs } from './reconcile.ts';
import { retryAfterMs, sentenceOf } from './runtime/api-errors.ts';
import { pause } from './runtime/backoff.ts';
import { stalled } from './runtime/conditions.ts';
import { NotLeading } from './runtime/failures.ts';
import type { Informers } from './runtime/informers.ts';
import { hasFinalizer, isDeleted, type Key, keyOf, nameOfKey, type Resource } from './runtime/resource.ts';
import type { ResourceApi } from './runtime/resource-api.ts';
import { writeFailure, writeStatus } from './runtime/status.ts';
import { WorkQueue } from './runtime/work-queue.ts';
import { createTenants, ForeignTenant } from './tenants.ts';

export type ControllerPorts = Pick<ReconcilePorts, 'events' | 'limitReached' | 'isLeading'> & {
  kinds: Kinds;
  api: ResourceApi;
  definitions: Definitions;
  services: Services;
  informers: Informers;
  /** Identity of this cluster in the store. Called only while `run` is active. */
  cluster: () => string;
  gracePeriodMs: number;
  /** Labels that select the namespaces whose resources count, or null to select all namespaces. */
  selector: string | null;
  stateOfNamespace(name: string): Promise<NamespaceState>;
  /** Reports the owners of Secrets that others have changed, until `signal` is aborted. */
  watchSecrets(onChange: (owner: Key) => void, signal: AbortSignal): Promise<void>;
};

/** Number of resources to reconcile at a time. Namespaces take turns, and no namespace may use the last place. */
const workers = 8;
/**
 * Interval in ms of the sweep, which reconciles all resources and looks for orphans. The next sweep comes earlier if a grace period ends
 * earlier.
 */
const sweepMs = 600_000;
/** Maximum delay in ms until a requested search for orphans begins. */
const searchMs = 1000;

/** Creates the leader's work, which makes the store match the resources and writes the resources' statuses. */
export function createController(ports: ControllerPorts) {
  const { kinds, api, services, informers, events, isLeading, stateOfNamespace } = ports;
  const { log, metrics, clock } = services;
  const tenants = createTenants(services, ports.cluster);
  const orphans = createOrphans({
    ...services,
    ...ports,
    tenants,
    warn: events.warn,
    onLost: (name) => leave(name),
  });
  let queue: WorkQueue<Key> | null = null;
  const add = (key: Key) => queue?.add(key);
  /** True after a change that creates or ends an orphan, until the next search for orphans. */
  let isSearchWanted = false;

  /**
   * Resources to release in namespaces that have lost the labels. Each is released only once, because another installation may add its
   * finalizer later.
   */
  const leaving = new Set<string>();
  const leave = (namespace: string) => {
    for (const resource of informers.copies(namespace)) {
      const key = keyOf(resource);
      leaving.add(nameOfKey(key));
      add(key);
    }
  };

  const reconciling: ReconcilePorts = {
    ...ports,
    clock,
    tenants,
    onWritten: (resource) => informers.put(resource),
    onEffect(resource, effect) {
      log.info({ event: 'reconciled', ...keyOf(resource), effect }, 'reconciled a resource');
      if (effect === 'adopt') isSearchWanted = true;
      for (const affected of affectedBy(kinds, resource, informers.all())) add(keyOf(affected));
    },
    onReleased(resource) {
      const effect = 'remove-finalizer';
      log.info({ event: 'reconciled', ...keyOf(resource), effect }, 'removed the finalizer');
    },
  };

  const reconcileKey = async (key: Key): Promise<number | null> => {
    const resource = informers.get(key);
    if (resource === undefined) {
      // The previous reconciliation may have begun while the resource still existed, and reported the resource to its kind.
      kindNamed(kinds, key.kind).listener?.notice(key, undefined, false);
      if (leaving.has(nameOfKey(key))) await release(key);
      return null;
    }
    leaving.delete(nameOfKey(key));
    try {
      if (isDeleted(resource)) {
        const goesWithNamespace = await emptyTerminating(resource.metadata.namespace);
        if (!goesWithNamespace && (await releaseWithDefinition(resource))) return null;
      }
      const requeueAfterMs = await kindNamed(kinds, key.kind).reconcile(reconciling, resource);
      await orphans.adopt(resource);
      return requeueAfterMs;
    } catch (error) {
      if (error instanceof ForeignTenant) return refuseNamespace(resource);
      await showFailure(informers.get(key) ?? resource, error);
      throw error;
    }
  };

  /**
   * Removes the finalizer of a resource that is being deleted together with its kind's definition. The resource's object in the store
   * becomes an orphan, so accidentally deleting a definition loses no mail. Returns false if only the resource is being deleted.
   */
  const releaseWithDefinition = async (resource: Resource): Promise<boolean> => {
    if (!hasFinalizer(resource, apiGroup.finalizer)) return false;
    if (!(await ports.definitions.isTerminating(kindNamed(kinds, resource.kind).plural))) return false;
    if (!isLeading()) throw new NotLeading();
    await api.removeFinalizer(resource);
    isSearchWanted = true;
    log.warn(
      { event: 'definition.deleted', ...keyOf(resource) },
      'a resource is being deleted with its definition (CRD); the store keeps its object for the grace period',
    );
    return true;
  };

  /**
   * Removes the finalizer of a resource whose namespace has lost the labels, so the namespace can be deleted, and reports this. The
   * resource's objects in the store become orphans.
   */
  const release = async (key: Key): Promise<void> => {
    const { namespace } = key;
    const resource = await api.read(key);
    if (!isLeading()) throw new NotLeading();
    if (resource !== null && hasFinalizer(resource, apiGroup.finalizer)) {
      const released = await api.removeFinalizer(resource);
      log.info(
        { event: 'namespace.left', ...key },
        'removed the finalizer from a resource whose namespace lacks the selected labels',
      );
      const message = `the namespace ${namespace} lacks the labels that the operator selects (${ports.selector}): restore them, or Sandpost deletes everything this resource created, including mail, after the grace period`;
      const { observedGeneration: _, conditions: __, applied, ...fields } = resource.status ?? {};
      if (!isDeleted(resource))
        await writeStatus(reconciling, released, fields, stalled('NotWatched', message), applied);
    }
    leaving.delete(nameOfKey(key));
  };

  /** Marks a resource as stalled if another cluster has claimed its namespace. Removes the finalizer if the resource is being deleted. */
  const refuseNamespace = async (resource: Resource): Promise<number | null> => {
    if (!isLeading()) throw new NotLeading();
    if (isDeleted(resource)) {
      if (hasFinalizer(resource, apiGroup.finalizer)) await api.removeFinalizer(resource);
      return null;
    }
    const { namespace } = resource.metadata;
    const message = `another cluster that shares the database already uses the namespace name ${namespace}: give this cluster its own database, or use another namespace`;
    const findings = stalled('NamespaceTaken', message);
    await writeStatus(reconciling, resource, {}, findings, resource.status?.applied);
    return recheckMs;
  };

  /** Writes a failure to the status. If that fails too, only logs the error, because the reconciliation is retried anyway. */
  const showFailure = async (resource: Resource, error: unknown) => {
    const failure = failureOf(error);
    if (failure === null || !isLeading()) return;
    await writeFailure(reconciling, resource, failure).catch((reason) =>
      log.debug({ ...keyOf(resource), why: sentenceOf(reason) }, 'could not write a failure to the status'),
    );
  };

  /**
   * Removes all objects of a namespace that is being deleted, including those created through the API. Returns false if the namespace is
   * not being deleted.
   */
  const emptyTerminating = async (namespace: string): Promise<boolean> => {
    if ((await stateOfNamespace(namespace)) !== 'terminating') return false;
    const owner = await tenants.find(namespace);
    if (owner !== null && isLeading()) await removeAll(kinds, services.rows, owner);
    return true;
  };

  const measured = async (key: Key): Promise<number | null> => {
    const end = metrics.reconcileSeconds.startTimer({ kind: key.kind });
    try {
      return await reconcileKey(key);
    } finally {
      end();
      metrics.reconcileQueue.set(queue?.depth ?? 0);
    }
  };

  const onFailure = (key: Key, error: unknown): number => {
    const isRace = failureOf(error) === null;
    if (!isRace) metrics.reconcileFailures.inc({ kind: key.kind });
    log[isRace ? 'debug' : 'warn'](
      { event: 'reconcile.failed', ...key, why: sentenceOf(error) },
      'reconciliation failed; retrying',
    );
    return retryAfterMs(error);
  };

  const sweep = async (signal: AbortSignal) => {
    let sweepAt = 0;
    while (!signal.aborted) {
      const now = performance.now();
      if (now >= sweepAt) {
        for (const resource of informers.all()) add(keyOf(resource));
        sweepAt = now + sweepMs;
      }
      isSearchWanted = false;
      const dueMs = await orphans.sweep().catch((error) => {
        log.warn({ why: sentenceOf(error) }, 'the orphan sweep failed; retrying');
        return sweepMs;
      });
      const until = Math.min(sweepAt, performance.now() + dueMs);
      do await pause(Math.min(searchMs, until - performance.now()), signal);
      while (!isSearchWanted && performance.now() < until && !signal.aborted);
    }
  };

  return {
    /** Works until `signal` is aborted. Resolves when no resource is being processed anymore. */
    async run(signal: AbortSignal) {
      const own = new WorkQueue<Key>({
        nameOf: nameOfKey,
        partyOf: ({ namespace }) => namespace,
        inTurn: createFairLimiter({ places: workers, placesPerKey: workers - 1 }),
        work: measured,
        onFailure,
      });
      queue = own;
      const unsubscribe = informers.subscribe(
        (key, isCreated) => {
          kindNamed(kinds, key.kind).listener?.notice(key, informers.get(key), isCreated);
          add(key);
        },
        (namespace) => {
          isSearchWanted = true;
          if (!informers.chooses(namespace)) leave(namespace);
          for (const resource of informers.copies(namespace)) add(keyOf(resource));
        },
      );
      const onError = (err: unknown) => log.warn({ err }, 'polling the store failed; retrying');
      const onDefinition = (kind: string) => {
        for (const resource of informers.all()) if (resource.kind === kind) add(keyOf(resource));
      };
      await Promise.all([
        sweep(signal),
        ports.watchSecrets((key) => {
          // Any writer of a Secret can name any owner.
          if (informers.get(key) !== undefined) own.add(key, true);
        }, signal),
        // Awaited mail and verdicts usually take precedence over routine reconciliations.
        watchManagedObjects({ kinds, onChange: (key) => own.add(key, true), onError }, signal),
        ports.definitions.watch(onDefinition, signal),
      ]);
      unsubscribe();
      queue = null;
      await own.stop();
      orphans.reset();
    },
  };
}
