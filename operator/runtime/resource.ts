import { isDeepStrictEqual } from 'node:util';

/** Parts of `metadata` that the operator reads. */
export type Metadata = {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
};

/** State of one aspect of a resource, by the Kubernetes API conventions (typical status properties). */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
};

/** Spec that was last applied: its generation and its fields. */
export type Applied = { generation: number; fields: string[] };

/** Status that every kind has. */
export type Status = { observedGeneration?: number; applied?: Applied; conditions?: Condition[] };

/** Custom resource with its kind's own spec and status fields. */
export type ResourceOf<Kind extends string, Spec, Fields> = {
  apiVersion: string;
  kind: Kind;
  metadata: Metadata;
  spec: Spec;
  status?: Status & Fields;
};

/** Custom resource of any kind. */
export type Resource = ResourceOf<string, unknown, unknown>;

/** Status fields that a kind adds to the fields of every kind. */
export type FieldsOf<R extends Resource> = Omit<NonNullable<R['status']>, keyof Status>;

/** Identifies a resource in copies and queues. */
export type Key = { kind: string; namespace: string; name: string };

/** Returns the name of a key in maps and queues. */
export const nameOfKey = ({ kind, namespace, name }: Key) => `${kind}/${namespace}/${name}`;

export function keyOf({ kind, metadata: { namespace, name } }: Resource): Key {
  return { kind, namespace, name };
}

/** Lists the keys whose values are new, changed or missing. */
export function changedKeys<V>(before: ReadonlyMap<string, V>, after: ReadonlyMap<string, V>): string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.filter((key) => !isDeepStrictEqual(before.get(key), after.get(key)));
}

/** Checks for a resource that has been deleted but stays until all finalizers are removed. */
export function isDeleted({ metadata }: Resource): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Checks whether the condition Ready is True. */
export function isReady({ status }: Resource): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

export function hasFinalizer({ metadata }: Resource, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}
