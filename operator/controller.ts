import type { Services } from '#core/services.ts';
import { createAccountReconciler } from './accounts.ts';
import { retryAfterMs, sentenceOf } from './api-errors.ts';
import { createApiKeyReconciler } from './api-keys.ts';
import { stalled } from './conditions.ts';
import { createDomainReconciler } from './domains.ts';
import { failureOf } from './failures.ts';
import type { Informers } from './informers.ts';
import type { NamespaceState } from './namespaces.ts';
import { createOrphans } from './orphans.ts';
import { pause } from './pause.ts';
import { lookAgainMs, NotLeading, type ReconcilePorts, reconcile } from './reconcile.ts';
import { report, reportFailure } from './report.ts';
import type { ResourceApi } from './resource-api.ts';
import { isDeleted, isHeld, isReady, type Key, keyOf, type Resource } from './resources.ts';
import type { Secrets } from './secrets.ts';
import { watchStore } from './store-watch.ts';
import { createTenants, emptyTenant, ForeignTenant } from './tenants.ts';
import { WorkQueue } from './work-queue.ts';

export type ControllerPorts = Omit<ReconcilePorts, 'api' | 'onWritten' | 'onEffect' | 'clock'> & {
  api: ResourceApi;
  services: Services;
  informers: Informers;
  secrets: Secrets;
  /** What a Secret says besides the key. */
  addresses: Record<string, string>;
  /** Our cluster, as the store knows it. Not called before `run`. */
  cluster: () => string;
  gracePeriodMs: number;
  /** Tells people of a namespace what in it has lost its resource. */
  warn(namespace: string, message: string): Promise<void>;
  stateOfNamespace(name: string): Promise<NamespaceState>;
};

const workers = 8;
/** All resources are looked at, and what none stands for is looked for, so often, or when a grace period ends. */
const sweepMs = 600_000;

/** What the leader does: it makes the store what the resources want, and tells in them what there is. */
export type Controller = {
  /** Works until `signal`; resolves when nothing is under way any more. */
  run(signal: AbortSignal): Promise<void>;
  /** Asks for a look at a resource. Nothing happens while `run` is not under way. */
  add(key: Key): void;
};

export function createController(ports: ControllerPorts): Controller {
  const { services, informers, isLeading } = ports;
  const { log, metrics, clock } = services;
  let queue: WorkQueue<Key> | null = null;
  const add = (key: Key) => queue?.add(key);

  const common = {
    ...ports,
    clock,
    onWritten: (resource: Resource) => informers.put(resource),
    onEffect: (resource: Resource, effect: string) =>
      log.info({ event: 'reconciled', ...keyOf(resource), effect }, 'made as the resource wants it'),
  };
  const tenants = createTenants(services, ports.cluster);
  const orphans = createOrphans({ ...services, ...ports, tenants });
  const domains = createDomainReconciler({
    ...services,
    tenants,
    mxHosts: services.config.mxHosts,
    onDomain(name) {
      const touched = informers
        .all()
        .filter(
          (resource) =>
            (resource.kind === 'Account' && resource.spec.address.endsWith(`@${name}`)) ||
            (resource.kind === 'Domain' && resource.spec.domain === name && !isReady(resource)),
        );
      for (const resource of touched) add(keyOf(resource));
    },
  });
  const accounts = createAccountReconciler({
    ...services,
    tenants,
    onAccount(domain) {
      const touched = informers
        .all()
        .filter(
          (resource) =>
            (resource.kind === 'Domain' && resource.spec.domain === domain) ||
            (resource.kind === 'Account' &&
              resource.spec.address.endsWith(`@${domain}`) &&
              !isReady(resource)),
        );
      for (const resource of touched) add(keyOf(resource));
    },
  });
  const apiKeys = createApiKeyReconciler({ ...services, ...ports, tenants });

  const work = async (key: Key): Promise<number | null> => {
    const resource = informers.get(key);
    if (resource === undefined) return null;
    try {
      if (isDeleted(resource)) await followNamespace(resource.metadata.namespace);
      const againMs = await look(resource);
      await orphans.returned(resource);
      return againMs;
    } catch (error) {
      if (error instanceof ForeignTenant) return leaveAlone(resource);
      await tellFailure(informers.get(key) ?? resource, error);
      throw error;
    }
  };

  const look = (resource: Resource): Promise<number | null> => {
    if (resource.kind === 'Domain') return reconcile(common, domains, resource);
    if (resource.kind === 'Account') return reconcile(common, accounts, resource);
    return reconcile(common, apiKeys, resource);
  };

  /** Says of a resource that its namespace's name is another cluster's, and lets it go where it is deleted. */
  const leaveAlone = async (resource: Resource): Promise<number | null> => {
    if (!isLeading()) throw new NotLeading();
    if (isDeleted(resource)) {
      if (isHeld(resource)) await ports.api.setHeld(resource, false);
      return null;
    }
    const { namespace } = resource.metadata;
    const message = `the name ${namespace} belongs to a namespace of another cluster with the same database: give this cluster a database of its own, or rename the namespace`;
    await report<Resource>(common, resource, {}, stalled('NamespaceTaken', message));
    return lookAgainMs;
  };

  /** Tells it in the resource, as far as that is possible: the failure itself counts, and is tried again. */
  const tellFailure = async (resource: Resource, error: unknown) => {
    const failure = failureOf(error);
    if (failure === null || !isLeading()) return;
    await reportFailure(common, resource, failure).catch((reason) =>
      log.debug({ ...keyOf(resource), why: sentenceOf(reason) }, 'a failure could not be told in the status'),
    );
  };

  /** A namespace that goes takes along what its people made through the API. */
  const followNamespace = async (namespace: string) => {
    if ((await ports.stateOfNamespace(namespace)) !== 'going') return;
    const owner = await tenants.find(namespace);
    if (owner !== null && isLeading()) await emptyTenant(services, owner);
  };

  const timed = async (key: Key): Promise<number | null> => {
    const end = metrics.reconcileSeconds.startTimer({ kind: key.kind });
    try {
      return await work(key);
    } finally {
      end();
      metrics.reconcileQueue.set(queue?.depth ?? 0);
    }
  };

  const onFailure = (key: Key, error: unknown): number => {
    // Somebody else was faster, or it is gone: the watch tells, and the next look sees it.
    const isRace = failureOf(error) === null;
    if (!isRace) metrics.reconcileFailures.inc({ kind: key.kind });
    log[isRace ? 'debug' : 'warn'](
      { event: 'reconcile.failed', ...key, why: sentenceOf(error) },
      'it is tried again',
    );
    return retryAfterMs(error);
  };

  const sweep = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      for (const resource of informers.all()) add(keyOf(resource));
      const dueMs = await orphans.sweep().catch((error) => {
        log.warn({ why: sentenceOf(error) }, 'not all could be looked through');
        return sweepMs;
      });
      await pause(Math.min(sweepMs, dueMs), signal);
    }
  };

  return {
    add,
    async run(signal) {
      const own = new WorkQueue<Key>({
        nameOf: ({ kind, namespace, name }) => `${kind}/${namespace}/${name}`,
        work: timed,
        onFailure,
        workers,
      });
      queue = own;
      const onTrouble = (err: unknown) => log.warn({ err }, 'the store could not be read; it is read again');
      await Promise.all([sweep(signal), watchStore({ ...services, onChange: add, onTrouble }, signal)]);
      queue = null;
      await own.stop();
      orphans.reset();
    },
  };
}
