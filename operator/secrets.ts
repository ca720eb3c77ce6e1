import {
  PatchStrategy,
  setHeaderOptions,
  type V1ManagedFieldsEntry,
  type V1OwnerReference,
  type V1Secret,
} from '@kubernetes/client-node';
import { apiGroup } from './group.ts';
import type { Repairs } from './repair-pace.ts';
import type { ApiClient } from './runtime/api-client.ts';
import { messageOf, orNull, statusCodeOf, unlessConflict } from './runtime/api-errors.ts';
import type { Announcement } from './runtime/event-recorder.ts';
import { ReportedError } from './runtime/failures.ts';
import type { Resource } from './runtime/resource.ts';

/** Entry of a Secret that contains the API key. */
export const keyEntry = 'SANDPOST_API_KEY';

export type SecretView = {
  /** True where the resource, or an earlier one of the same kind and name, owns the Secret. */
  isOurs: boolean;
  /** True where only an earlier resource of the same kind and name owns the Secret. */
  isInherited: boolean;
  /** True where it has the label by which the operator watches its Secrets. */
  isLabelled: boolean;
  data: Record<string, string>;
  /** Names of the entries that the operator has written, and that nobody else has. */
  written: string[];
  /** Names of the entries that it has had since this process read it first. */
  seen: ReadonlySet<string>;
  references: V1OwnerReference[];
  revision: string;
  uid: string;
};

/** Label by which the operator finds its Secrets. */
export const secretLabel = { name: 'app.kubernetes.io/managed-by', value: 'sandpost' };

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
    throw new SecretRefused(`the API server refused the Secret ${name}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isNamesake({ apiVersion, kind, name }: V1OwnerReference, ofKind: string, owner: string): boolean {
  return apiVersion.startsWith(`${apiGroup.group}/`) && kind === ofKind && name === owner;
}

const referenceTo = ({ apiVersion, kind, metadata: { name, uid } }: Resource): V1OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
});

/** Returns the names of the entries of a Secret that one writer has, and no other. */
function writtenBy(manager: string, managed: V1ManagedFieldsEntry[]): string[] {
  const entriesOf = (fields: V1ManagedFieldsEntry[]) =>
    new Set(fields.flatMap(({ fieldsV1 }) => Object.keys(Object(fieldsV1)['f:data'] ?? {})));
  const own = entriesOf(managed.filter((one) => one.manager === manager));
  const others = entriesOf(managed.filter((one) => one.manager !== manager));
  const names = [...own.difference(others)].filter((name) => name.startsWith('f:'));
  return names.map((name) => name.slice('f:'.length));
}

/**
 * Secrets of ApiKeys and Inboxes. A write to a Secret that has changed since it was read does nothing. Entries, labels and annotations of
 * others stay.
 */
export type Secrets = ReturnType<typeof createSecrets>;

/** `onWritten` gets each Secret as the API server returned it after a write. */
export function createSecrets(
  { core }: Pick<ApiClient, 'core'>,
  repairs: Repairs,
  onWritten: (secret: V1Secret) => void,
) {
  const { fieldManager } = apiGroup;
  /** Names of the entries that each Secret has had, by namespace and name of the Secret. */
  const seen = new Map<string, ReadonlySet<string>>();
  return {
    paceOf: repairs.paceOf,
    async read(
      { kind, metadata: { namespace, name: owner, uid } }: Resource,
      name: string,
    ): Promise<SecretView | null> {
      const secret = await unlessRefused(name, orNull(core.readNamespacedSecret({ namespace, name })));
      const path = `${namespace}/${name}`;
      if (secret === null) {
        seen.delete(path);
        return null;
      }
      const entries = Object.entries(secret.data ?? {});
      const references = secret.metadata?.ownerReferences ?? [];
      const isOwned = references.some((reference) => reference.uid === uid);
      const isInherited = !isOwned && references.some((reference) => isNamesake(reference, kind, owner));
      const names = new Set([...(seen.get(path) ?? []), ...entries.map(([entry]) => entry)]);
      if (isOwned) seen.set(path, names);
      return {
        isOurs: isOwned || isInherited,
        isInherited,
        isLabelled: secret.metadata?.labels?.[secretLabel.name] === secretLabel.value,
        data: Object.fromEntries(
          entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
        ),
        written: writtenBy(fieldManager, secret.metadata?.managedFields ?? []),
        seen: names,
        references,
        revision: secret.metadata?.resourceVersion ?? '',
        uid: secret.metadata?.uid ?? '',
      };
    },
    /** Creates the Secret, or gives it entries. `repair` announces that others had changed or deleted it. */
    async write(
      owner: Resource,
      name: string,
      data: Record<string, string>,
      before: SecretView | null,
      repair?: Announcement,
    ) {
      const { namespace } = owner.metadata;
      const entries = Object.entries(data);
      const body: V1Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          namespace,
          name,
          labels: { [secretLabel.name]: secretLabel.value },
          ownerReferences: [referenceTo(owner)],
          ...(before === null ? {} : { resourceVersion: before.revision }),
        },
        type: 'Opaque',
        data: Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
      };
      // An apply would also write to a Secret that somebody else has created since.
      const answer =
        before === null
          ? core.createNamespacedSecret({ namespace, body, fieldManager })
          : core.patchNamespacedSecret(
              { namespace, name, body, fieldManager, force: true },
              setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
            );
      const isWritten = await unlessRefused(name, unlessConflict(answer.then(onWritten)));
      if (isWritten && repair !== undefined) await repairs.note(owner, repair);
    },
    /** Removes entries. An apply would keep those that the creation of the Secret wrote. */
    async removeEntries(
      { metadata: { namespace } }: Resource,
      name: string,
      entries: string[],
      before: SecretView,
    ) {
      const data = Object.fromEntries(entries.map((entry) => [entry, null]));
      const body = { metadata: { resourceVersion: before.revision }, data };
      const answer = core.patchNamespacedSecret(
        { namespace, name, body, fieldManager },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
      await unlessRefused(name, unlessConflict(answer.then(onWritten)));
    },
    /** Makes the owner own a Secret of an earlier resource of the same kind and name. */
    async inherit(owner: Resource, name: string, { references, revision }: SecretView) {
      const { kind, metadata } = owner;
      const { namespace } = metadata;
      const others = references.filter((reference) => !isNamesake(reference, kind, metadata.name));
      // An apply would keep the reference to the earlier ApiKey where another writer has restored it.
      const ownerReferences = [...others, referenceTo(owner)];
      const body = { metadata: { resourceVersion: revision, ownerReferences } };
      const answer = core.patchNamespacedSecret(
        { namespace, name, body, fieldManager },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
      await unlessRefused(name, unlessConflict(answer.then(onWritten)));
    },
    async remove({ metadata: { namespace } }: Resource, name: string, { uid }: SecretView) {
      const answer = core.deleteNamespacedSecret({ namespace, name, body: { preconditions: { uid } } });
      await unlessRefused(name, unlessConflict(orNull(answer)));
    },
  };
}
