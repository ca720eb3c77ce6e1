import { Informer, type ListWatch } from './informer.ts';
import { informersIn, type OnError } from './list-watch.ts';
import { type Key, keyOf, type Resource } from './resource.ts';
import type { ResourceApi } from './resource-api.ts';

export type InformersOptions = {
  api: Pick<ResourceApi, 'listWatch'>;
  kinds: string[];
  /** Kinds that the copies must contain. Other kinds may lack their definitions or the permissions for them. */
  needed: ReadonlySet<string>;
  /** Namespaces to watch, or empty for all namespaces. */
  namespaces: string[];
  /** Namespaces whose resources count, if not all watched namespaces do. */
  chosen?: ListWatch<Resource> | null;
  relistMs: number;
  onError: OnError;
};

/** `isCreated`: a watch has just reported the creation. */
type Listener = (key: Key, isCreated: boolean) => void;

/**
 * Local copies of all resources of several kinds, in all namespaces or in named ones. Hides the resources in namespaces that are not
 * chosen.
 */
export type Informers = ReturnType<typeof createInformers>;

export function createInformers(options: InformersOptions) {
  const { api, kinds, needed, namespaces, chosen = null, relistMs, onError } = options;
  const listeners = new Set<Listener>();
  const namespaceListeners = new Set<(name: string) => void>();
  const chosenNames = new Set<string>();
  const choice =
    chosen &&
    new Informer<Resource>({
      source: chosen,
      onChange(namespace) {
        const { name } = namespace.metadata;
        const isChosen = choice?.all().includes(namespace) ?? false;
        if (isChosen === chosenNames.has(name)) return;
        if (isChosen) chosenNames.add(name);
        else chosenNames.delete(name);
        for (const listener of namespaceListeners) listener(name);
      },
      onError: (error) => onError('namespaces', error),
      relistMs,
    });
  const chooses = (namespace: string) => choice === null || chosenNames.has(namespace);
  const informers = kinds.flatMap((kind) =>
    informersIn<Resource>(namespaces, kind, (namespace) => api.listWatch(kind, namespace), {
      onChange(resource, isCreated) {
        for (const listener of listeners) listener(keyOf(resource), isCreated);
      },
      onError,
      relistMs,
    }).map((one) => ({ ...one, kind })),
  );
  const find = (kind: string, namespace: string) =>
    informers.find((one) => one.kind === kind && (one.namespace ?? namespace) === namespace)?.informer;
  const isRefused = ({ kind, namespace, informer }: (typeof informers)[number]) =>
    informer.refused && (namespace !== null || !needed.has(kind));
  const all = () => informers.flatMap(({ informer }) => informer.all());
  const present = () => informers.filter((one) => !isRefused(one));
  return {
    /** Lists and watches until `signal` is aborted. */
    async run(signal: AbortSignal) {
      await Promise.all([choice?.run(signal), ...informers.map(({ informer }) => informer.run(signal))]);
    },
    /**
     * Calls `listener` for each resource that is new, changed or deleted, and after each list for all resources. Calls
     * `namespaceListener` for each namespace that becomes chosen or ceases to be. Returns a function that unsubscribes.
     */
    subscribe(listener: Listener, namespaceListener: (name: string) => void = () => {}) {
      listeners.add(listener);
      namespaceListeners.add(namespaceListener);
      return () => {
        listeners.delete(listener);
        namespaceListeners.delete(namespaceListener);
      };
    },
    /**
     * Returns true once each informer has listed its resources. Ignores informers that are refused if they watch a named namespace or a
     * kind that is not required.
     */
    synced: () =>
      choice?.listedAt !== null &&
      present().length > 0 &&
      present().every(({ informer }) => informer.listedAt !== null),
    /** Age in ms of the oldest list of a required kind, or null until each of these kinds' informers has listed its resources. */
    ageMs() {
      const own = present().filter(({ kind }) => needed.has(kind));
      const times = own.map(({ informer }) => informer.listedAt);
      return times.length === 0 || times.includes(null)
        ? null
        : // Bounded: a time for each kind of resource.
          performance.now() - Math.min(...times.map(Number));
    },
    /** Returns true if the copies contain all of the namespace's resources of the required kinds. */
    covers(namespace: string) {
      const own = informers.filter(
        (one) => needed.has(one.kind) && (one.namespace ?? namespace) === namespace,
      );
      return own.length > 0 && own.every((one) => !isRefused(one) && one.informer.listedAt !== null);
    },
    chooses,
    get: ({ kind, namespace, name }: Key) =>
      chooses(namespace) ? find(kind, namespace)?.get(namespace, name) : undefined,
    all: () => all().filter(({ metadata }) => chooses(metadata.namespace)),
    /** Lists the copies of a namespace's resources, whether the namespace is chosen or not. */
    copies: (namespace: string) => all().filter(({ metadata }) => metadata.namespace === namespace),
    /** Replaces a resource's copy with the result of a write. */
    put: (resource: Resource) => find(resource.kind, resource.metadata.namespace)?.put(resource),
  };
}
