import type { ResourceOf } from '../runtime/resource.ts';

/** ApiKey resource: one API key and the Secret that contains it. */
export type ApiKeyResource = ResourceOf<
  'ApiKey',
  { secretName?: string; displayName?: string },
  { tokenId?: number; secretName?: string }
>;

/** Name of the resource's Secret. */
export function secretNameOf({ spec, metadata }: ApiKeyResource): string {
  return spec.secretName ?? metadata.name;
}
