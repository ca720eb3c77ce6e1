import type { Sender, SenderTable } from '#core/messages/sender.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { ApiClient } from './runtime/api-client.ts';
import { sentenceOf } from './runtime/api-errors.ts';
import { pause } from './runtime/backoff.ts';
import { Informer, type ListWatch } from './runtime/informer.ts';
import { controllerOf, differences, nameOf, type Pod, partsOf, tableOf } from './sender-table.ts';

type Ports = {
  client: Pick<ApiClient, 'get' | 'watch'>;
  table: Pick<SenderTable, 'write'>;
  /** Namespaces whose Pods are named; empty for all. */
  namespaces: string[];
  relistMs: number;
  /** Called where a list, a watch or a write failed and is tried again. */
  onError(what: string, why: string): void;
};

/** Interval of writes without a change: a table that nobody writes expires. */
const renewMs = 3000;
/** Time in which changes are collected. */
const collectMs = 20;
const pageSize = 500;
/** Jobs that are read at a time. */
const places = 4;

/** Keeps the table of the addresses of Pods until `signal` is aborted, and empties it then. */
export async function keepSenders(
  { client, table, namespaces, relistMs, onError }: Ports,
  signal: AbortSignal,
): Promise<void> {
  let change = new AbortController();
  const onChange = () => change.abort();
  const informers = (namespaces.length === 0 ? [null] : namespaces).map(
    (namespace) =>
      new Informer<Pod>({
        source: podsOf(client, namespace),
        onChange,
        onError: (error) => onError(`Pod in ${namespace ?? 'all namespaces'}`, sentenceOf(error)),
        relistMs,
      }),
  );
  const running = Promise.all(informers.map((informer) => informer.run(signal)));
  const jobs = createJobs(client, onChange);
  let written: ReadonlyMap<string, Sender> | null = null;
  const write = async (next: ReadonlyMap<string, Sender>) => {
    const changed = written && differences(written, next);
    written = null;
    try {
      await table.write(next, changed);
      written = next;
    } catch (error) {
      onError('table of senders', sentenceOf(error));
    }
  };
  signal.addEventListener('abort', onChange, { once: true });
  while (!signal.aborted) {
    change = new AbortController();
    if (informers.every(({ refused, listedAt }) => refused || listedAt !== null)) {
      const pods = informers.flatMap((informer) => informer.all());
      await write(tableOf(pods, jobs.workloadOf));
      jobs.keep(pods);
    }
    if (!signal.aborted) await pause(renewMs, change.signal);
    await pause(collectMs, signal);
  }
  await write(new Map());
  await running;
}

/** Lists and watches the Pods of a namespace, or of all, that have not ended. */
function podsOf({ get, watch }: Ports['client'], namespace: string | null): ListWatch<Pod> {
  const path = namespace === null ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
  const fieldSelector = 'status.phase!=Succeeded,status.phase!=Failed';
  type PodList = { items: Pod[]; metadata: { resourceVersion: string; continue?: string } };
  return {
    async list() {
      const items: Pod[] = [];
      let token = '';
      for (;;) {
        const query = new URLSearchParams({ fieldSelector, limit: String(pageSize), continue: token });
        const page = await get<PodList>(`${path}?${query}`);
        for (const pod of page.items) items.push(partsOf(pod));
        token = page.metadata.continue ?? '';
        if (token === '') return { items, resourceVersion: page.metadata.resourceVersion };
      }
    },
    watch(resourceVersion, onEvent, onEnd) {
      const query = { resourceVersion, fieldSelector, allowWatchBookmarks: true };
      const onPod: typeof onEvent = (type, pod) => onEvent(type, type === 'ERROR' ? pod : partsOf(pod));
      return watch.watch(path, query, onPod, onEnd);
    },
  };
}

/** Finds the workloads of Pods. Reads each Job once, which a CronJob may have created, and calls `onFound` then. */
function createJobs({ get }: Pick<ApiClient, 'get'>, onFound: () => void) {
  const inTurn = createFairLimiter({ places, placesPerKey: places });
  /** Workloads by the UID of a Job. Undefined while it is being read. */
  const known = new Map<string, string | undefined>();
  const read = async (pod: Pod, name: string): Promise<string> => {
    const job = await get<Pod>(`/apis/batch/v1/namespaces/${pod.metadata.namespace}/jobs/${name}`);
    const owner = controllerOf(job);
    return owner === undefined ? `Job/${name}` : `${owner.kind}/${owner.name}`;
  };
  return {
    workloadOf(pod: Pod): string | null | undefined {
      const owner = controllerOf(pod);
      if (owner === undefined) return null;
      if (owner.kind !== 'Job') return nameOf(owner, pod);
      if (!known.has(owner.uid)) {
        known.set(owner.uid, undefined);
        // A Job that is gone, or that the operator may not read, has its own name.
        const reading = inTurn('jobs', () => read(pod, owner.name)).catch(() => nameOf(owner, pod));
        reading.then((workload) => {
          known.set(owner.uid, workload);
          onFound();
        });
      }
      return known.get(owner.uid);
    },
    /** Forgets the Jobs that have no Pod among these. */
    keep(pods: Pod[]): void {
      const owners = new Set(pods.map((pod) => controllerOf(pod)?.uid));
      for (const uid of known.keys()) if (!owners.has(uid)) known.delete(uid);
    },
  };
}
