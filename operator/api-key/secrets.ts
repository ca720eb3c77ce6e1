import type { V1OwnerReference, V1Secret } from '@kubernetes/client-node';
import { apiGroup } from '../group.ts';
import type { ApiClient } from '../runtime/api-client.ts';
import { messageOf, orNull, statusCodeOf, unlessConflict } from '../runtime/api-errors.ts';
import { ReportedError } from '../runtime/failures.ts';
import type { ApiKeyResource } from './resource.ts';

/** Entry of a Secret that contains the API key. */
export const keyEntry = 'SANDPOST_API_KEY';

export type SecretView = {
  /** True where the ApiKey, or an earlier one of the same name, owns the Secret. */
  isOurs: boolean;
  /** True where only an earlier ApiKey of the same name owns the Secret, which is adopted with its key. */
  isInherited: boolean;
  data: Record<string, string>;
  revision: string;
  uid: string;
};

/** Secrets of ApiKeys. A write to a Secret that has changed since it was read does nothing. */
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

/** Rejection of a Secret by a quota, an admission policy or validation. */
export class SecretRefused extends ReportedError {
  override name = 'SecretRefused';
  constructor(message: string, options?: ErrorOptions) {
    super('SecretRefused', message, options);
  }
}

/** Turns a rejection by the API server into SecretRefused. Passes on races and overload unchanged. */
async function unlessRefused<T>(name: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const code = statusCodeOf(error);
    // A broken admission webhook gives 500. Higher codes mean that the API server is unavailable.
    if (code === null || code > 500 || [401, 404, 409, 429].includes(code)) throw error;
    throw new SecretRefused(`the API server refuses the Secret ${name}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isNamesake({ apiVersion, kind, name }: V1OwnerReference, ofKind: string, owner: string): boolean {
  return apiVersion.startsWith(`${apiGroup.group}/`) && kind === ofKind && name === owner;
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
