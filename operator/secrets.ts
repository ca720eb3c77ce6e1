import type { V1ManagedFieldsEntry, V1OwnerReference, V1Secret } from '@kubernetes/client-node';
import { apiGroup } from './group.ts';
import type { Repairs } from './repair-backoff.ts';
import { type ApiClient, applying, merging } from './runtime/api-client.ts';
import { messageOf, orNull, statusCodeOf, unlessConflict } from './runtime/api-errors.ts';
import type { Announcement } from './runtime/event-recorder.ts';
import { ReportedError } from './runtime/failures.ts';
import type { Resource } from './runtime/resource.ts';

/** Secret entry that contains the API key. */
export const keyEntry = 'SANDPOST_API_KEY';

export type SecretView = {
  /** True if the Secret is owned by the resource, or by an earlier resource of the same kind and name. */
  isOurs: boolean;
  /** True if the Secret is owned only by an earlier resource of the same kind and name. */
  isInherited: boolean;
  /** True if the Secret has the label by which the operator watches its Secrets. */
  isLabelled: boolean;
  data: Record<string, string>;
  /** Names of the entries that only the operator has written. */
  written: string[];
  /** Names of the entries that the Secret had when the operator last wrote it, or of its current entries if this is unknown. */
  recorded: ReadonlySet<string>;
  references: V1OwnerReference[];
  revision: string;
  uid: string;
};

/** Label by which the operator finds its Secrets. */
export const secretLabel = { name: 'app.kubernetes.io/managed-by', value: 'sandpost' };

/** Annotation that contains the names of the entries. It shows an operator that has just started which entries others have removed. */
const entriesAnnotation = `${apiGroup.group}/entries`;

const recordOf = (names: Iterable<string>) => ({ [entriesAnnotation]: [...names].sort().join(',') });

/** Error for a Secret that a quota, an admission policy or validation rejected. */
export class SecretRefused extends ReportedError {
  override name = 'SecretRefused';
  constructor(message: string, options?: ErrorOptions) {
    super('SecretRefused', message, options);
  }
}

/** Error for entries that were lost on the way to the API server's store. */
class SecretChanged extends ReportedError {
  override name = 'SecretChanged';
  constructor(secret: string, entries: string[]) {
    const message = `the API server stored the Secret ${secret} without the operator's value of ${entries.join(', ')}. An admission webhook or policy of this cluster removes or replaces it: exempt the Secrets with the label ${secretLabel.name}=${secretLabel.value}`;
    super('SecretChanged', message);
  }
}

/** Converts the API server's rejection to SecretRefused. Does not convert errors due to races or overload. */
async function unlessRefused<T>(name: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const code = statusCodeOf(error);
    // A broken admission webhook returns 500. Higher codes mean that the API server is unavailable.
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

/** Returns the names of a Secret's entries that belong to only one writer. */
function writtenBy(manager: string, managed: V1ManagedFieldsEntry[]): string[] {
  const entriesOf = (fields: V1ManagedFieldsEntry[]) =>
    new Set(fields.flatMap(({ fieldsV1 }) => Object.keys(Object(fieldsV1)['f:data'] ?? {})));
  const own = entriesOf(managed.filter((one) => one.manager === manager));
  const others = entriesOf(managed.filter((one) => one.manager !== manager));
  const names = [...own.difference(others)].filter((name) => name.startsWith('f:'));
  return names.map((name) => name.slice('f:'.length));
}

/**
 * Secrets of ApiKeys and Inboxes. A write does nothing if the Secret has changed since it was read. Entries, labels and annotations of
 * other writers stay.
 */
export type Secrets = ReturnType<typeof createSecrets>;

/** `onWritten` receives each Secret as the API server returned it after a write. */
export function createSecrets(
  { core }: Pick<ApiClient, 'core'>,
  repairs: Repairs,
  onWritten: (secret: V1Secret) => void,
) {
  const { fieldManager } = apiGroup;
  /**
   * Changes a Secret, provided that it has not changed since it was read. An apply would keep entries and owners that belong to another
   * writer, or that were written when the Secret was created.
   */
  const merge = async (
    { metadata: { namespace } }: Resource,
    name: string,
    { revision }: SecretView,
    { metadata, ...change }: Omit<V1Secret, 'data'> & { data?: Record<string, null> },
  ) => {
    const body = { ...change, metadata: { ...metadata, resourceVersion: revision } };
    const answer = core.patchNamespacedSecret({ namespace, name, body, fieldManager }, merging);
    await unlessRefused(name, unlessConflict(answer.then(onWritten)));
  };
  return {
    backoffOf: repairs.backoffOf,
    async read(
      { kind, metadata: { namespace, name: owner, uid } }: Resource,
      name: string,
    ): Promise<SecretView | null> {
      const secret = await unlessRefused(name, orNull(core.readNamespacedSecret({ namespace, name })));
      if (secret === null) return null;
      const { data = {}, metadata = {} } = secret;
      const references = metadata.ownerReferences ?? [];
      const isOwned = references.some((reference) => reference.uid === uid);
      const isInherited = !isOwned && references.some((reference) => isNamesake(reference, kind, owner));
      return {
        isOurs: isOwned || isInherited,
        isInherited,
        isLabelled: metadata.labels?.[secretLabel.name] === secretLabel.value,
        data: Object.fromEntries(
          Object.entries(data).map(([entry, value]) => [entry, Buffer.from(value, 'base64').toString()]),
        ),
        written: writtenBy(fieldManager, metadata.managedFields ?? []),
        recorded: new Set(metadata.annotations?.[entriesAnnotation]?.split(',') ?? Object.keys(data)),
        references,
        revision: metadata.resourceVersion ?? '',
        uid: metadata.uid ?? '',
      };
    },
    /** Creates the Secret, or sets its entries. `repair` announces that others had changed or deleted the Secret. */
    async write(
      owner: Resource,
      name: string,
      data: Record<string, string>,
      before: SecretView | null,
      repair?: Announcement,
    ) {
      const { namespace } = owner.metadata;
      const encoded = Object.fromEntries(
        Object.entries(data).map(([entry, value]) => [entry, Buffer.from(value).toString('base64')]),
      );
      const body: V1Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          namespace,
          name,
          labels: { [secretLabel.name]: secretLabel.value },
          annotations: recordOf(Object.keys(data)),
          ownerReferences: [referenceTo(owner)],
          ...(before === null ? {} : { resourceVersion: before.revision }),
        },
        type: 'Opaque',
        data: encoded,
      };
      // An apply would also write to a Secret that somebody else has created in the meantime.
      const answer =
        before === null
          ? core.createNamespacedSecret({ namespace, body, fieldManager })
          : core.patchNamespacedSecret({ namespace, name, body, fieldManager, force: true }, applying);
      const check = (secret: V1Secret) => {
        onWritten(secret);
        const lost = Object.keys(encoded).filter((entry) => secret.data?.[entry] !== encoded[entry]);
        if (lost.length > 0) throw new SecretChanged(name, lost);
      };
      const isWritten = await unlessRefused(name, unlessConflict(answer.then(check)));
      if (isWritten && repair !== undefined) await repairs.note(owner, repair);
    },
    async removeEntries(owner: Resource, name: string, entries: string[], before: SecretView) {
      const annotations = recordOf(before.recorded.difference(new Set(entries)));
      const data = Object.fromEntries(entries.map((entry) => [entry, null]));
      await merge(owner, name, before, { metadata: { annotations }, data });
    },
    /** Transfers a Secret from an earlier resource of the same kind and name to its new owner. */
    async inherit(owner: Resource, name: string, before: SecretView) {
      const { kind, metadata } = owner;
      const others = before.references.filter((reference) => !isNamesake(reference, kind, metadata.name));
      await merge(owner, name, before, { metadata: { ownerReferences: [...others, referenceTo(owner)] } });
    },
    async remove({ metadata: { namespace } }: Resource, name: string, { uid }: SecretView) {
      const answer = core.deleteNamespacedSecret({ namespace, name, body: { preconditions: { uid } } });
      await unlessRefused(name, unlessConflict(orNull(answer)));
    },
  };
}
