import { StoreUnavailable } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { createAccountReconciler } from './accounts.ts';
import { retryAfterMs, sentenceOf, statusCodeOf } from './api-errors.ts';
import { createApiKeyReconciler } from './api-keys.ts';
import { createDomainReconciler } from './domains.ts';
import type { Informers } from './informers.ts';
import type { NamespaceState } from './namespaces.ts';
import { removeOrphans } from './orphans.ts';
import { pause } from './pause.ts';
import { NotLeading, type ReconcilePorts, reconcile } from './reconcile.ts';
import { tellUnavailable } from './report.ts';
import type { ResourceApi } from './resource-api.ts';
import { isDeleted, isReady, type Key, keyOf, type Resource } from './resources.ts';
import type { Secrets } from './secrets.ts';
import { watchStore } from './store-watch.ts';
import { emptyTenant, findTenant } from './tenants.ts';
import { WorkQueue } from './work-queue.ts';

export type ControllerPorts = Omit<ReconcilePorts, 'api' | 'onWritten' | 'clock'> & {
  api: ResourceApi;
  services: Services;
  informers: Informers;
  secrets: Secrets;
  /** What a Secret says besides the key. */
  addresses: Record<string, string>;
  stateOfNamespace(name: string): Promise<NamespaceState>;
};

const workers = 8;
/** All resources are looked at, and what none stands for is removed, so often. */
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

  const common = { ...ports, clock, onWritten: (resource: Resource) => informers.put(resource) };
  const domains = createDomainReconciler({
    ...services,
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
  const apiKeys = createApiKeyReconciler({ ...services, ...ports });

  const work = async (key: Key): Promise<number | null> => {
    const resource = informers.get(key);
    if (resource === undefined) return null;
    if (isDeleted(resource)) await followNamespace(resource.metadata.namespace);
    try {
      if (resource.kind === 'Domain') return await reconcile(common, domains, resource);
      if (resource.kind === 'Account') return await reconcile(common, accounts, resource);
      return await reconcile(common, apiKeys, resource);
    } catch (error) {
      if (error instanceof StoreUnavailable) await tellUnavailable(common, resource);
      throw error;
    }
  };

  /** A namespace that goes takes along what its people made through the API. */
  const followNamespace = async (namespace: string) => {
    if ((await ports.stateOfNamespace(namespace)) !== 'going') return;
    const owner = await findTenant(services, namespace);
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
    const code = statusCodeOf(error);
    // Somebody else was faster, or it is gone: the watch tells, and the next look sees it.
    const isRace = code === 404 || code === 409 || error instanceof NotLeading;
    metrics.reconcileFailures.inc({ kind: key.kind });
    log[isRace ? 'debug' : 'warn'](
      { event: 'reconcile.failed', ...key, why: sentenceOf(error) },
      'it is tried again',
    );
    return retryAfterMs(error);
  };

  const sweep = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      for (const resource of informers.all()) add(keyOf(resource));
      await removeOrphans({
        ...services,
        ...ports,
        isGone: async (namespace) => (await ports.stateOfNamespace(namespace)) === 'gone',
        onRemoved: (what) => log.info({ event: 'orphan.removed', what }, 'its resource is gone'),
      }).catch((error) => log.warn({ why: sentenceOf(error) }, 'not all could be looked through'));
      await pause(sweepMs, signal);
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
    },
  };
}
