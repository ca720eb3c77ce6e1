import type { Services } from '#setup/services.ts';
import { createClusterId, stateOfNamespace } from './cluster.ts';
import { createController } from './controller.ts';
import { createDefinitions } from './definitions.ts';
import { apiGroup } from './group.ts';
import { keepSenders } from './keep-senders.ts';
import { createKinds } from './kinds.ts';
import { createMeasurement } from './measure.ts';
import { makePreviews } from './previews.ts';
import { createRepairs } from './repair-backoff.ts';
import { connectToCluster } from './runtime/api-client.ts';
import { isRefusedOrGone, sentenceOf } from './runtime/api-errors.ts';
import { pause } from './runtime/backoff.ts';
import { createEventRecorder } from './runtime/event-recorder.ts';
import { createInformers } from './runtime/informers.ts';
import { createLease, Leader } from './runtime/leader.ts';
import { listWatchNamespaces } from './runtime/list-watch.ts';
import type { Key } from './runtime/resource.ts';
import { createResourceApi } from './runtime/resource-api.ts';
import { createSecretWatch } from './secret-watch.ts';
import { createSecrets } from './secrets.ts';

const relistMs = 600_000;
/**
 * Maximum age in ms of the oldest list. If it is older, the process counts as dead. The time is long because a restart cannot repair an
 * API server.
 */
const deadMs = 3 * relistMs;

/** Creates the part of the process that provides domains, accounts and API keys for a Kubernetes cluster's custom resources. */
export function createOperator(services: Services) {
  const { config, log, metrics, clock, store } = services;
  const client = connectToCluster((method) => metrics.kubernetesRequests.inc({ method }));
  const events = createEventRecorder(client, {
    controller: 'sandpost.dev/operator',
    identity: config.podName,
    clock,
    onRefused: (error) => log.debug({ why: sentenceOf(error) }, 'the API server refused an Event'),
  });
  const secretWatch = createSecretWatch();
  const repairs = createRepairs(events);
  const kinds = createKinds(services, createSecrets(client, repairs, secretWatch.note));
  const plurals = new Map([...kinds.values()].map(({ name, plural }) => [name, plural]));
  const api = createResourceApi(client, apiGroup, plurals);
  const stopping = new AbortController();
  const startedAt = performance.now();
  let running: Promise<unknown> = Promise.resolve();

  const clusterId = createClusterId(client, config.clusterId, (why) =>
    log.warn({ why }, 'could not read the cluster id; retrying'),
  );
  const leader = new Leader({
    lease: createLease(client, config.leaseName),
    identity: config.podName,
    onError: (error) => log.warn({ why: sentenceOf(error) }, 'could not read or write the Lease'),
    onWait: (holder) =>
      log.info({ event: 'waiting', lease: config.leaseName, holder }, 'another operator holds the Lease'),
  });
  const onError = (what: string, error: unknown) => {
    const isRefused = isRefusedOrGone(error);
    if (isRefused || error === null) metrics.refusedWatches.set({ what }, isRefused ? 1 : 0);
    if (error === null) return;
    metrics.watchRestarts.inc();
    const event = isRefused ? 'watch.refused' : 'watch.restarted';
    const words = isRefused
      ? 'the API server refuses a list or watch; retrying without further log lines'
      : 'a list or watch failed; restarting it';
    log.warn({ event, what, why: sentenceOf(error) }, words);
  };
  const informers = createInformers({
    api,
    kinds: [...kinds.keys()],
    needed: new Set([...kinds.values()].flatMap(({ name, isOptional }) => (isOptional ? [] : [name]))),
    namespaces: config.watchNamespaces,
    chosen: config.namespaceSelector === null ? null : listWatchNamespaces(client, config.namespaceSelector),
    relistMs,
    onError,
  });
  const { chooses } = informers;
  const isLeading = () => leader.isLeading();
  const { watchNamespaces: namespaces } = config;
  const watching = { client, namespaces, chooses, isLeading, relistMs, onError };
  const controller = createController({
    kinds,
    api,
    definitions: createDefinitions({ client, stopping: stopping.signal, plurals, log }),
    services,
    informers,
    events,
    cluster() {
      const id = clusterId.get();
      if (id === null) throw new Error('the cluster id is not known yet');
      return id;
    },
    gracePeriodMs: config.orphanGracePeriod,
    selector: config.namespaceSelector,
    limitReached: metrics.limitReached,
    isLeading,
    stateOfNamespace: (name) => stateOfNamespace(client, name),
    watchSecrets(onChange, signal) {
      const pauseMs = (owner: Key) => repairs.backoffOf(owner).pauseMs;
      return secretWatch.run({ ...watching, onChange, pauseMs }, signal);
    },
  });

  const previews = async (signal: AbortSignal) => {
    const exists = (key: Key) => informers.get(key) !== undefined;
    if (config.previews === null) return;
    const { selector: own, domain } = config.previews;
    // Creates no resources in an unwatched namespace, because nobody would reconcile them.
    const selector = [own, config.namespaceSelector].filter((one) => one !== null).join(',');
    await makePreviews({ ...watching, selector, domain, exists }, signal);
  };

  const senders = async (signal: AbortSignal) => {
    const { senders: table } = services;
    if (table !== null) await keepSenders({ ...watching, table }, signal);
  };

  const lead = async (signal: AbortSignal) => {
    log.info({ event: 'leading', identity: config.podName }, 'this process is now the leader');
    metrics.leading.set(1);
    metrics.leaderChanges.inc();
    // Incomplete copies would make existing objects look like orphans.
    while (!(informers.synced() && clusterId.get() !== null) && !signal.aborted) {
      await pause(50, signal);
    }
    if (!signal.aborted) await Promise.all([controller.run(signal), previews(signal), senders(signal)]);
    metrics.leading.set(0);
    metrics.leaderChanges.inc();
    log.info({ event: 'not leading', identity: config.podName }, 'this process is no longer the leader');
  };

  metrics.measurements.add(createMeasurement(services, informers, isLeading));
  return {
    start() {
      running = Promise.all([
        informers.run(stopping.signal),
        clusterId.run(stopping.signal),
        leader.run(stopping.signal, lead),
      ]);
    },
    /** Returns false once lists have failed for so long that only a new process may help. */
    isLive: () => (informers.ageMs() ?? performance.now() - startedAt) < deadMs,
    /** Resolves if the operator is ready to work. Otherwise, throws an error that says what is missing. */
    async ready() {
      await store.ping();
      if (!informers.synced()) throw new Error('the operator has not listed all resources yet');
      if (clusterId.get() === null)
        throw new Error(`the cluster id is not known yet: ${clusterId.trouble()}`);
    },
    /** Finishes the current work and releases the Lease. */
    async close() {
      stopping.abort();
      await running;
    },
  };
}
