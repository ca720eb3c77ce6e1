import { createFairLimiter } from '#gate/fair-limiter.ts';
import { apiGroup } from './group.ts';
import type { ApiClient } from './runtime/api-client.ts';
import { orNull, sentenceOf, unlessConflict } from './runtime/api-errors.ts';
import { Informer } from './runtime/informer.ts';
import { listWatchNamespaces } from './runtime/list-watch.ts';
import { isDeleted, type Key, type Resource } from './runtime/resource.ts';
import { WorkQueue } from './runtime/work-queue.ts';

/** Labels that select namespaces, and the domain under which the namespaces get their domains. */
export type Previews = { selector: string; domain: string };

type Ports = Previews & {
  client: Pick<ApiClient, 'get' | 'custom' | 'watch'>;
  relistMs: number;
  exists(key: Key): boolean;
  /** Called like an Informer's `onError`, and also if creating resources in a namespace failed and will be retried. */
  onError(what: string, error: unknown): void;
};

/** Name of the Domain, the Inbox and its Secret. */
const name = 'sandpost-inbox';
/** Number of namespaces to work on at a time. */
const places = 4;

/**
 * Creates a Domain and an Inbox in each namespace with a label, until `signal` is aborted. Both belong to the namespace's own team, so
 * setting the label exposes only the namespace's own mail. Existing resources with these names stay unchanged. If a namespace loses the
 * label, its resources stay, so a wrong selector does not delete mail.
 */
export async function makePreviews(
  { client, selector, domain, relistMs, exists, onError }: Ports,
  signal: AbortSignal,
): Promise<void> {
  const { custom } = client;
  const { group, version, fieldManager } = apiGroup;
  const create = async (namespace: string, kind: string, plural: string, spec: object) => {
    if (exists({ kind, namespace, name })) return;
    const labels = { 'app.kubernetes.io/managed-by': 'sandpost' };
    const body = { apiVersion: `${group}/${version}`, kind, metadata: { namespace, name, labels }, spec };
    const collection = { group, version, namespace, plural };
    const creation = custom.createNamespacedCustomObject({ ...collection, body, fieldManager });
    // The namespace may no longer exist.
    await unlessConflict(orNull(creation));
  };
  const queue = new WorkQueue<string>({
    nameOf: (namespace) => namespace,
    partyOf: (namespace) => namespace,
    inTurn: createFairLimiter({ places, placesPerKey: 1 }),
    async work(namespace) {
      const own = `${namespace}.${domain}`;
      await create(namespace, 'Domain', 'domains', { domain: own, mxVerified: true });
      await create(namespace, 'Inbox', 'inboxes', { domain: own });
      return null;
    },
    onFailure(namespace, error) {
      onError(`the inbox in the namespace ${namespace}`, sentenceOf(error));
      return 0;
    },
  });
  const informer = new Informer<Resource>({
    source: listWatchNamespaces(client, selector),
    onChange(namespace) {
      const isThere = informer.all().includes(namespace);
      if (isThere && !isDeleted(namespace)) queue.add(namespace.metadata.name);
    },
    onError: (error) => onError('preview namespaces', error),
    relistMs,
  });
  await informer.run(signal);
  await queue.stop();
}
