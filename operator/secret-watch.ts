import type { V1Secret } from '@kubernetes/client-node';
import { apiGroup } from './group.ts';
import type { ApiClient } from './runtime/api-client.ts';
import { pause } from './runtime/backoff.ts';
import type { Informers } from './runtime/informers.ts';
import { corePath, informersIn, listWatchAt, type OnError } from './runtime/list-watch.ts';
import { type Key, nameOfKey, type Resource } from './runtime/resource.ts';
import { secretLabel } from './secrets.ts';

type Owner = { apiVersion: string; kind: string; name: string };
/** Secret without its entries. */
type OwnedSecret = Resource & { metadata: { ownerReferences?: Owner[] } };

type Ports = Pick<Informers, 'chooses'> & {
  client: Pick<ApiClient, 'metadata'>;
  /** Namespaces whose Secrets to watch, or empty for all namespaces. */
  namespaces: string[];
  relistMs: number;
  /** Called with the owner of each Secret that others have changed or deleted. */
  onChange(owner: Key): void;
  /** Returns the time in ms until an owner's Secret may be repaired. */
  pauseMs(owner: Key): number;
  /** If the operator may not list and watch Secrets, each resource still checks its Secret once a minute. */
  onError: OnError;
};

/**
 * Time in ms for which changes to a Secret are collected. If the namespace is being deleted, the Secret's owner is deleted within this
 * time, too.
 */
const collectMs = 500;

/** Creates the watch of the operator's own Secrets, which are found by their label. */
export function createSecretWatch() {
  /** Version and owners of each Secret as the operator last wrote or saw it. */
  const known = new Map<string, { version: string | undefined; owners: Key[] }>();

  /** Reports changes until `signal` is aborted. Does not report changes that happened before the first list. */
  const run = async (ports: Ports, signal: AbortSignal): Promise<void> => {
    const { client, namespaces, chooses, relistMs, onChange, onError, pauseMs } = ports;
    const waiting = new Set<string>();
    const report = async (owner: Key) => {
      const name = nameOfKey(owner);
      if (waiting.has(name)) return;
      waiting.add(name);
      await pause(Math.max(collectMs, pauseMs(owner)), signal);
      waiting.delete(name);
      if (!signal.aborted) onChange(owner);
    };
    const query = { labelSelector: `${secretLabel.name}=${secretLabel.value}` };
    const sourceOf = (namespace: string | null) =>
      listWatchAt<OwnedSecret>(client.metadata, corePath('secrets', namespace), query, partsOf);
    const onSecret = ({ metadata }: OwnedSecret) => {
      const { namespace, resourceVersion: version } = metadata;
      const name = nameOf(metadata);
      const before = known.get(name);
      const isThere = informers.some(({ informer }) => informer.get(namespace, metadata.name) !== undefined);
      const owners = ownersOf(metadata);
      if (isThere && owners.length > 0) known.set(name, { version, owners });
      else known.delete(name);
      // Secret that is new to the operator: it was just created, or is in the first list.
      if (before === undefined || (isThere && before.version === version)) return;
      if (chooses(namespace)) for (const owner of before.owners) report(owner);
    };
    const informers = informersIn(namespaces, 'Secret', sourceOf, { onChange: onSecret, onError, relistMs });
    known.clear();
    await Promise.all(informers.map(({ informer }) => informer.run(signal)));
  };

  return {
    run,
    /** Records a Secret that the operator has written, so the operator's own write does not count as a change. */
    note({ metadata = {} }: V1Secret): void {
      const { resourceVersion: version, namespace = '', name = '', ownerReferences = [] } = metadata;
      known.set(nameOf({ namespace, name }), { version, owners: ownersOf({ namespace, ownerReferences }) });
    },
  };
}

const nameOf = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;

const isOurs = ({ apiVersion }: Owner) => apiVersion.startsWith(`${apiGroup.group}/`);

const ownersOf = ({
  namespace,
  ownerReferences = [],
}: Pick<OwnedSecret['metadata'], 'namespace' | 'ownerReferences'>): Key[] =>
  ownerReferences.filter(isOurs).map(({ kind, name }) => ({ kind, namespace, name }));

/** Returns the parts of a Secret's metadata that the operator keeps. */
function partsOf({ metadata }: OwnedSecret): OwnedSecret {
  const { namespace, name, uid, resourceVersion, ownerReferences = [] } = metadata;
  const own = ownerReferences
    .filter(isOurs)
    .map(({ apiVersion, kind, name }) => ({ apiVersion, kind, name }));
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', spec: {} },
    metadata: { namespace, name, uid, resourceVersion, generation: 0, ownerReferences: own },
  };
}
