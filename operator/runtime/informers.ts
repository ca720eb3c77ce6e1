import { Informer, type ListWatch } from './informer.ts';
import { informersIn, type OnError } from './list-watch.ts';
import { type Key, keyOf, type Resource } from './resource.ts';
import type { ResourceApi } from './resource-api.ts';

export type InformersOptions = {
  api: Pick<ResourceApi, 'listWatch'>;
  kinds: string[];
  /** Kinds that the copies must contain. Definitions of other kinds, or permissions for them, may be missing. */
  needed: ReadonlySet<string>;
  /** Namespaces to watch, or empty for all. */
  namespaces: string[];
  /** Namespaces whose resources count, if these are not all watched namespaces. */
  chosen?: ListWatch<Resource> | null;
  relistMs: number;
  onError: OnError;
};

/** `isCreated`: a watch has just reported the creation. */
type Listener = (key: Key, isCreated: boolean) => void;

/** Local copies of all resources of several kinds, in all or in named namespaces. Hides resources in namespaces that are not chosen. */
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
     * Calls `listener` for each resource that is new, changed or gone, and for all at each list, and `namespaceListener` for each
     * namespace that becomes, or is no longer, chosen. Returns a function that unsubscribes.
     */
    subscribe(listener: Listener, namespaceListener: (name: string) => void = () => {}) {
      listeners.add(listener);
      namespaceListeners.add(namespaceListener);
      return () => {
        listeners.delete(listener);
        namespaceListeners.delete(namespaceListener);
      };
    },
    /** True once each informer has listed. Ignores refused informers for a named namespace or an unneeded kind. */
    synced: () =>
      choice?.listedAt !== null &&
      present().length > 0 &&
      present().every(({ informer }) => informer.listedAt !== null),
    /** Age in ms of the oldest list of a needed kind, or null until each of their informers has listed. */
    ageMs() {
      const own = present().filter(({ kind }) => needed.has(kind));
      const times = own.map(({ informer }) => informer.listedAt);
      return times.length === 0 || times.includes(null)
        ? null
        : // Bounded: a time for each kind of resource.
          performance.now() - Math.min(...times.map(Number));
    },
    /** True if the copies contain all required resources of the namespace. */
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
    /** Lists a namespace's copies, whether it is chosen or not. */
    copies: (namespace: string) => all().filter(({ metadata }) => metadata.namespace === namespace),
    /** Replaces a resource's copy with the result of a write. */
    put: (resource: Resource) => find(resource.kind, resource.metadata.namespace)?.put(resource),
  };
}
