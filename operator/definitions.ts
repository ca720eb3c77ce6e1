import { apiGroup } from './group.ts';
import type { ApiClient } from './runtime/api-client.ts';
import { statusCodeOf } from './runtime/api-errors.ts';
import { pause } from './runtime/pause.ts';

/** Time after which the API server's discovery surely shows that a definition is being deleted. */
const discoveryMs = 1000;

/**
 * Tells whether the definition (CRD) of a kind is being deleted, which deletes all resources of the kind. An operator without
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
