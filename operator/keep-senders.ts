import { type Sender, type SenderTable, senderLifeMs } from '#core/messages/sender.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { ApiClient } from './runtime/api-client.ts';
import { sentenceOf } from './runtime/api-errors.ts';
import { pause } from './runtime/backoff.ts';
import type { ListWatch } from './runtime/informer.ts';
import type { Informers } from './runtime/informers.ts';
import type { Leader } from './runtime/leader.ts';
import { corePath, informersIn, listWatchAt } from './runtime/list-watch.ts';
import { changedKeys } from './runtime/resource.ts';
import { controllerOf, nameOf, type Pod, partsOf, tableOf } from './sender-table.ts';

type Ports = Pick<Informers, 'chooses'> &
  Pick<Leader, 'isLeading'> & {
    client: Pick<ApiClient, 'get' | 'watch'>;
    table: Pick<SenderTable, 'write'>;
    /** Namespaces whose Pods are in the table, or empty for all namespaces. */
    namespaces: string[];
    relistMs: number;
    /** Called like an Informer's `onError`, and also if a write failed and will be retried. */
    onError(what: string, error: unknown): void;
  };

/** Interval in ms between writes if nothing has changed, because a table that nobody writes expires. */
const renewMs = 3000;
/** Interval in ms between writes of the full table, which repair a table that another process has written. */
const wholeMs = 60_000;
/** Time in ms for which changes are collected before a write. */
const collectMs = 20;
/** Number of Jobs to read at a time. */
const places = 4;

/** Maintains the table of Pods' addresses until `signal` is aborted. Then empties it if this process is still the leader. */
export async function keepSenders(
  { client, table, namespaces, chooses, isLeading, relistMs, onError }: Ports,
  signal: AbortSignal,
): Promise<void> {
  let change = new AbortController();
  const onChange = () => change.abort();
  const sourceOf = (namespace: string | null) => podsOf(client, namespace);
  const informers = informersIn(namespaces, 'Pod', sourceOf, { onChange, onError, relistMs }).map(
    ({ informer }) => informer,
  );
  const running = Promise.all(informers.map((informer) => informer.run(signal)));
  const jobs = createJobs(client, onChange);
  const workloadOf = (pod: Pod) => (chooses(pod.metadata.namespace) ? jobs.workloadOf(pod) : undefined);
  let written: ReadonlyMap<string, Sender> | null = null;
  let wholeUntil = 0;
  const write = async (next: ReadonlyMap<string, Sender>) => {
    const changed = written && performance.now() < wholeUntil ? changedKeys(written, next) : null;
    written = null;
    if (!isLeading()) return;
    try {
      await table.write(next, changed);
      if (changed === null) wholeUntil = performance.now() + wholeMs;
      written = next;
    } catch (error) {
      onError('sender table', sentenceOf(error));
    }
  };
  signal.addEventListener('abort', onChange, { once: true });
  while (!signal.aborted) {
    change = new AbortController();
    const current = informers.filter((informer) => informer.isCurrent(senderLifeMs));
    if (current.every(({ listedAt }) => listedAt !== null)) {
      const pods = current.flatMap((informer) => informer.all());
      await write(tableOf(pods, workloadOf));
      jobs.keep(pods);
    }
    if (!signal.aborted) await pause(renewMs, change.signal);
    await pause(collectMs, signal);
  }
  await write(new Map());
  await running;
}

/** Lists and watches the running Pods in one namespace or in all of them. */
function podsOf(client: Ports['client'], namespace: string | null): ListWatch<Pod> {
  const query = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };
  return listWatchAt<Pod>(client, corePath('pods', namespace), query, partsOf);
}

/** Finds Pods' workloads. Reads each Job once, because a CronJob may have created the Job, and calls `onFound` afterward. */
function createJobs({ get }: Pick<ApiClient, 'get'>, onFound: () => void) {
  const inTurn = createFairLimiter({ places });
  /** Workloads by the namespace and UID of a Job. Undefined while the Job is being read. A Pod may name any UID. */
  const known = new Map<string, string | undefined>();
  const keyOf = (pod: Pod) => `${pod.metadata.namespace}/${controllerOf(pod)?.uid}`;
  const read = async (namespace: string, name: string): Promise<string> => {
    const path = ['namespaces', namespace, 'jobs', name].map((part) => encodeURIComponent(part)).join('/');
    const owner = controllerOf(await get<Pod>(`/apis/batch/v1/${path}`));
    return owner === undefined ? `Job/${name}` : `${owner.kind}/${owner.name}`;
  };
  return {
    workloadOf(pod: Pod): string | null | undefined {
      const owner = controllerOf(pod);
      if (owner === undefined) return null;
      if (owner.kind !== 'Job') return nameOf(owner, pod);
      const key = keyOf(pod);
      if (!known.has(key)) {
        known.set(key, undefined);
        const { namespace } = pod.metadata;
        // If a Job no longer exists, or the operator may not read it, the Job's own name is used.
        const reading = inTurn(namespace, () => read(namespace, owner.name)).catch(() => nameOf(owner, pod));
        reading.then((workload) => {
          known.set(key, workload);
          onFound();
        });
      }
      return known.get(key);
    },
    /** Forgets Jobs that no Pod in this list belongs to. */
    keep(pods: Pod[]): void {
      const keys = new Set(pods.map(keyOf));
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    },
  };
}
