import { apiGroup } from './group.ts';
import type { ApiClient } from './runtime/api-client.ts';
import { sentenceOf, statusCodeOf } from './runtime/api-errors.ts';
import { backoffMs, pause } from './runtime/backoff.ts';

const retry = { baseMs: 200, capMs: 10_000 };

/**
 * Reads the identity of a cluster: the UID of its namespace kube-system, which exists as long as the cluster. `given` replaces the UID, for a cluster that continues another one or an operator without the right to read it.
 */
export function createClusterId(
  { core }: Pick<ApiClient, 'core'>,
  given: string | null,
  onError: (why: string) => void,
) {
  let id = given;
  let why = 'the API server has not answered yet';
  return {
    /** Reads the identity, with retries until it is known or `signal` is aborted. */
    async run(signal: AbortSignal) {
      for (let failures = 1; id === null && !signal.aborted; failures++) {
        try {
          id = (await core.readNamespace({ name: 'kube-system' })).metadata?.uid ?? null;
        } catch (error) {
          const isForbidden = statusCodeOf(error) === 403;
          why = isForbidden
            ? 'the operator has no right to read it: grant get on the namespace, or set SANDPOST_CLUSTER_ID'
            : sentenceOf(error);
          onError(why);
          await pause(backoffMs(failures, retry), signal);
        }
      }
    },
    /** Null until the identity is known. */
    get: () => id,
    /** Reason for an unknown identity, for a person. */
    trouble: () => why,
  };
}

/** State of a namespace; `unknown` where the operator has no right to read it. */
export type NamespaceState = 'active' | 'terminating' | 'gone' | 'unknown';

/** Reads a namespace. An operator of named namespaces loses the right to read one when the namespace is deleted. */
export async function stateOfNamespace(
  { core }: Pick<ApiClient, 'core'>,
  name: string,
): Promise<NamespaceState> {
  try {
    const { metadata } = await core.readNamespace({ name });
    return metadata?.deletionTimestamp ? 'terminating' : 'active';
  } catch (error) {
    const code = statusCodeOf(error);
    if (code === 404) return 'gone';
    if (code === 403) return 'unknown';
    throw error;
  }
}

/** Time after which the API server's discovery surely shows that a definition is being deleted. */
const discoveryMs = 1000;

/**
 * Returns true where the definition (CRD) of a kind is being deleted, which deletes all resources of the kind. An operator without
 * the right to read definitions learns it from discovery, where such a kind has no verb `create` any more.
 */
export async function isDefinitionTerminating(
  { custom }: Pick<ApiClient, 'custom'>,
  plural: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { group, version } = apiGroup;
  try {
    const { metadata } = await custom.getClusterCustomObject({
      ...{ group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
      name: `${plural}.${group}`,
    });
    return metadata.deletionTimestamp !== undefined;
  } catch (error) {
    const code = statusCodeOf(error);
    if (code === 404) return true;
    if (code !== 403) throw error;
  }
  await pause(discoveryMs, signal);
  const { resources } = await custom.getAPIResources({ group, version });
  return !resources.some(({ name, verbs }) => name === plural && verbs.includes('create'));
}
