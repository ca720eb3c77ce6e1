import type { V1OwnerReference, V1Secret } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { messageOf, orNull, statusCodeOf, unlessConflict } from './api-errors.ts';
import { type ApiKeyResource, group } from './resources.ts';

/**
 * A Secret as the operator sees it: `isOurs` where the ApiKey owns it, `isInherited` where that is an earlier one of the
 * same name, whose Secret is taken over with its key.
 */
export type SecretView = {
  isOurs: boolean;
  isInherited: boolean;
  data: Record<string, string>;
  revision: string;
  uid: string;
};

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

/** The API server did not let us have or write a Secret, by a quota, an admission policy or its own rules. */
export class SecretRefused extends Error {
  override name = 'SecretRefused';
}

/** Names the Secret in whatever the API server has against it. Races and overload are passed on as they are. */
async function unlessRefused<T>(name: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const code = statusCodeOf(error);
    // 500 is what a broken admission webhook leads to; what is above tells of an API server that is away.
    if (code === null || code > 500 || [401, 404, 409, 429].includes(code)) throw error;
    throw new SecretRefused(`the API server refuses the Secret ${name}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isNamesake({ apiVersion, kind, name }: V1OwnerReference, ofKind: string, owner: string): boolean {
  return apiVersion.startsWith(`${group}/`) && kind === ofKind && name === owner;
}

export function createSecrets({ core }: Pick<ApiClient, 'core'>): Secrets {
  return {
    async read({ kind, metadata: { namespace, name: owner, uid } }, name) {
      const secret = await unlessRefused(name, orNull(core.readNamespacedSecret({ namespace, name })));
      if (secret === null) return null;
      const entries = Object.entries(secret.data ?? {});
      const references = secret.metadata?.ownerReferences ?? [];
      const isOwned = references.some((reference) => reference.uid === uid);
      const isInherited = !isOwned && references.some((reference) => isNamesake(reference, kind, owner));
      return {
        isOurs: isOwned || isInherited,
        isInherited,
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
      const answer =
        before === null
          ? core.createNamespacedSecret({ namespace, body })
          : core.replaceNamespacedSecret({ namespace, name, body });
      await unlessRefused(name, unlessConflict(answer));
    },
    async remove({ metadata: { namespace } }, name, { uid }) {
      const answer = core.deleteNamespacedSecret({ namespace, name, body: { preconditions: { uid } } });
      await unlessRefused(name, unlessConflict(orNull(answer)));
    },
  };
}
