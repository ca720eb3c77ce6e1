import type { ApiClient } from './runtime/api-client.ts';
import { sentenceOf, statusCodeOf } from './runtime/api-errors.ts';
import { backoffMs, pause } from './runtime/backoff.ts';

const retry = { baseMs: 200, capMs: 10_000 };

/**
 * Reads a cluster's identity: the UID of its namespace kube-system, which exists as long as the cluster does. `given` replaces the UID if
 * a cluster continues another one, or if the operator has no permission to read the namespace.
 */
export function createClusterId(
  { core }: Pick<ApiClient, 'core'>,
  given: string | null,
  onError: (why: string) => void,
) {
  let id = given;
  let why = 'the API server has not responded yet';
  return {
    /** Reads the identity. Retries until the identity is known or `signal` is aborted. */
    async run(signal: AbortSignal) {
      for (let failures = 1; id === null && !signal.aborted; failures++) {
        try {
          id = (await core.readNamespace({ name: 'kube-system' })).metadata?.uid ?? null;
        } catch (error) {
          const isForbidden = statusCodeOf(error) === 403;
          why = isForbidden
            ? 'the operator lacks permission to read the namespace kube-system: grant get on it, or set SANDPOST_CLUSTER_ID'
            : sentenceOf(error);
          onError(why);
          await pause(backoffMs(failures, retry), signal);
        }
      }
    },
    /** Cluster's identity. Null until it is known. */
    get: () => id,
    /** Human-readable reason why the identity is unknown. */
    trouble: () => why,
  };
}

/** State of a namespace, or `unknown` if the operator may not read the namespace. */
export type NamespaceState = 'active' | 'terminating' | 'gone' | 'unknown';

/**
 * Reads a namespace. If the operator watches named namespaces, it loses the permission to read a namespace once that namespace is
 * deleted.
 */
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
