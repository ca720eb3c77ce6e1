import { sentenceOf } from './api-errors.ts';
import { Informer } from './informer.ts';
import type { ResourceApi } from './resource-api.ts';
import { type Key, type Kind, keyOf, kinds, type Resource } from './resources.ts';

/** Copies of all our resources: of all namespaces, or of those that are named. */
export type Informers = {
  run(signal: AbortSignal): Promise<void>;
  /** Whether each has listed once. One whose named namespace refuses it is not waited for, unless all are refused. */
  synced(): boolean;
  /** How long ago the one that has waited longest listed all, ms; null while one never has. */
  ageMs(): number | null;
  /** Whether all resources of the namespace are in the copies. */
  covers(namespace: string): boolean;
  get(key: Key): Resource | undefined;
  all(): Resource[];
  put(resource: Resource): void;
};

export type InformersOptions = {
  api: Pick<ResourceApi, 'listWatch'>;
  /** Empty: all. */
  namespaces: string[];
  relistMs: number;
  onChange: (key: Key) => void;
  onTrouble: (what: string, why: string) => void;
};

export function createInformers({
  api,
  namespaces,
  relistMs,
  onChange,
  onTrouble,
}: InformersOptions): Informers {
  const scopes = namespaces.length === 0 ? [null] : namespaces;
  const informers = kinds.flatMap((kind) =>
    scopes.map((namespace) => ({
      kind,
      namespace,
      informer: new Informer<Resource>({
        source: api.listWatch(kind, namespace),
        onChange: (resource) => onChange(keyOf(resource)),
        onTrouble: (error) => onTrouble(`${kind} in ${namespace ?? 'all namespaces'}`, sentenceOf(error)),
        relistMs,
      }),
    })),
  );
  const find = (kind: Kind, namespace: string) =>
    informers.find((one) => one.kind === kind && (one.namespace ?? namespace) === namespace)?.informer;
  const all = () => informers.flatMap(({ informer }) => informer.all());
  const isGone = ({ namespace, informer }: (typeof informers)[number]) =>
    namespace !== null && informer.refused;
  const present = () => informers.filter((one) => !isGone(one));
  return {
    async run(signal) {
      await Promise.all(informers.map(({ informer }) => informer.run(signal)));
    },
    synced: () => present().length > 0 && present().every(({ informer }) => informer.listedAt !== null),
    ageMs() {
      const times = present().map(({ informer }) => informer.listedAt);
      return times.length === 0 || times.includes(null)
        ? null
        : performance.now() - Math.min(...times.map(Number));
    },
    covers(namespace) {
      const own = informers.filter((one) => (one.namespace ?? namespace) === namespace);
      return own.length > 0 && own.every((one) => !isGone(one) && one.informer.listedAt !== null);
    },
    get: ({ kind, namespace, name }) => find(kind, namespace)?.get(namespace, name),
    all,
    put: (resource) => find(resource.kind, resource.metadata.namespace)?.put(resource),
  };
}
