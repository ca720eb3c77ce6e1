import type { Services } from '#core/services.ts';
import { connectToCluster } from './api-client.ts';
import { sentenceOf } from './api-errors.ts';
import { createClusterId } from './cluster-id.ts';
import { createController } from './controller.ts';
import { createEventRecorder } from './event-recorder.ts';
import { createInformers } from './informers.ts';
import { Leader } from './leader.ts';
import { createLease } from './lease.ts';
import { stateOfNamespace } from './namespaces.ts';
import { pause } from './pause.ts';
import { createResourceApi } from './resource-api.ts';
import { createSecrets } from './secrets.ts';

/** Makes domains, accounts and keys from resources of a Kubernetes cluster. */
export type Operator = {
  start(): void;
  /** False once the API server has not let us list for so long that only a new process may help. */
  isLive(): boolean;
  /** Resolves when it can do its work; throws a sentence that says what is missing. */
  ready(): Promise<void>;
  /** Finishes what is under way and gives the Lease back. */
  close(): Promise<void>;
};

const relistMs = 600_000;
/** Three lists missed. An API server that is away for a while is no reason to begin anew. */
const deadMs = 3 * relistMs;

export function createOperator(services: Services): Operator {
  const { config, log, metrics, clock, store } = services;
  const client = connectToCluster((method) => metrics.kubernetesRequests.inc({ method }));
  const api = createResourceApi(client);
  const stopping = new AbortController();
  const born = performance.now();
  let underWay: Promise<unknown> = Promise.resolve();

  const clusterId = createClusterId(client, config.clusterId, (why) =>
    log.warn({ why }, 'the identity of the cluster is not known; it is asked for again'),
  );
  const leader = new Leader({
    lease: createLease(client, config.leaseName),
    identity: config.podName,
    onTrouble: (error) => log.warn({ why: sentenceOf(error) }, 'the Lease could not be had'),
    onWait: (holder) =>
      log.info({ event: 'waiting', lease: config.leaseName, holder }, 'another operator has the Lease'),
  });
  const informers = createInformers({
    api,
    namespaces: config.watchNamespaces,
    relistMs,
    onChange: (key) => controller.add(key),
    onTrouble(what, why) {
      metrics.watchRestarts.inc();
      log.warn({ event: 'watch.restarted', what, why }, 'it is listed and watched again');
    },
  });
  const events = createEventRecorder(client, config.podName, clock, (error) =>
    log.debug({ why: sentenceOf(error) }, 'an Event was refused'),
  );
  const controller = createController({
    api,
    services,
    informers,
    secrets: createSecrets(client),
    addresses: config.clientAddresses,
    events,
    cluster() {
      const id = clusterId.get();
      if (id === null) throw new Error('the identity of the cluster is not known');
      return id;
    },
    gracePeriodMs: config.orphanGracePeriodMs,
    warn: (namespace, message) => events.warn(namespace, message),
    limitReached: metrics.limitReached,
    isLeading: () => leader.isLeading(),
    stateOfNamespace: (name) => stateOfNamespace(client, name),
  });

  const lead = async (signal: AbortSignal) => {
    log.info({ event: 'leading', identity: config.podName }, 'this process reconciles');
    metrics.leading.set(1);
    // What is not in our copy yet is not missing.
    while (!(informers.synced() && clusterId.get() !== null) && !signal.aborted) {
      await pause(50, signal);
    }
    if (!signal.aborted) await controller.run(signal);
    metrics.leading.set(0);
    log.info({ event: 'not leading', identity: config.podName }, 'another may reconcile');
  };

  return {
    start() {
      underWay = Promise.all([
        informers.run(stopping.signal),
        clusterId.run(stopping.signal),
        leader.run(stopping.signal, lead),
      ]);
    },
    isLive: () => (informers.ageMs() ?? performance.now() - born) < deadMs,
    async ready() {
      await store.ping();
      if (!informers.synced()) throw new Error('the Kubernetes API has not let us list the resources yet');
      if (clusterId.get() === null)
        throw new Error(`the UID of namespace kube-system is not known: ${clusterId.trouble()}`);
    },
    async close() {
      stopping.abort();
      await underWay;
    },
  };
}
