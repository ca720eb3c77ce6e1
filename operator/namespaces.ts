import type { ApiClient } from './api-client.ts';
import { statusCodeOf } from './api-errors.ts';

/** What has become of a namespace; `unknown` where we may not look. */
export type NamespaceState = 'there' | 'going' | 'gone' | 'unknown';

/** Asks the API server. An operator that was given a few namespaces loses the right to look together with the namespace. */
export async function stateOfNamespace(
  { core }: Pick<ApiClient, 'core'>,
  name: string,
): Promise<NamespaceState> {
  try {
    const { metadata } = await core.readNamespace({ name });
    return metadata?.deletionTimestamp ? 'going' : 'there';
  } catch (error) {
    const code = statusCodeOf(error);
    if (code === 404) return 'gone';
    if (code === 403) return 'unknown';
    throw error;
  }
}
