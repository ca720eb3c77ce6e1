import type { V1Secret } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { orNull, unlessConflict } from './api-errors.ts';
import type { ApiKeyResource } from './resources.ts';

/** A Secret as the operator sees it: `isOurs` where the ApiKey owns it. */
export type SecretView = { isOurs: boolean; data: Record<string, string>; revision: string; uid: string };

/** The Secrets of ApiKeys. A write that finds the Secret changed since it was read does nothing: the next look sees it. */
export type Secrets = {
  read(owner: ApiKeyResource, name: string): Promise<SecretView | null>;
  write(
    owner: ApiKeyResource,
    name: string,
    data: Record<string, string>,
    before: SecretView | null,
  ): Promise<void>;
  remove(owner: ApiKeyResource, name: string, before: SecretView): Promise<void>;
};

export function createSecrets({ core }: Pick<ApiClient, 'core'>): Secrets {
  return {
    async read({ metadata: { namespace, uid } }, name) {
      const secret = await orNull(core.readNamespacedSecret({ namespace, name }));
      if (secret === null) return null;
      const entries = Object.entries(secret.data ?? {});
      return {
        isOurs: secret.metadata?.ownerReferences?.some((reference) => reference.uid === uid) ?? false,
        data: Object.fromEntries(
          entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
        ),
        revision: secret.metadata?.resourceVersion ?? '',
        uid: secret.metadata?.uid ?? '',
      };
    },
    async write(owner, name, data, before) {
      const { namespace, uid } = owner.metadata;
      const { apiVersion, kind } = owner;
      const body: V1Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          namespace,
          name,
          labels: { 'app.kubernetes.io/managed-by': 'sandpost' },
          ownerReferences: [{ apiVersion, kind, name: owner.metadata.name, uid, controller: true }],
          ...(before === null ? {} : { resourceVersion: before.revision }),
        },
        type: 'Opaque',
        stringData: data,
      };
      await unlessConflict(
        before === null
          ? core.createNamespacedSecret({ namespace, body })
          : core.replaceNamespacedSecret({ namespace, name, body }),
      );
    },
    async remove({ metadata: { namespace } }, name, { uid }) {
      await unlessConflict(
        orNull(core.deleteNamespacedSecret({ namespace, name, body: { preconditions: { uid } } })),
      );
    },
  };
}
