/** The API group and version of our resources; their schemas stand in `crds/`. */
export const group = 'sandpost.dev';
export const version = 'v1alpha1';

/** Holds a deleted resource back until the store has let go of what it stood for. */
export const finalizer = 'sandpost.dev/finalizer';

/** Each kind with the name that its path has. */
export const plurals = { Domain: 'domains', Account: 'accounts', ApiKey: 'apikeys' } as const;
export type Kind = keyof typeof plurals;
export const kinds = Object.keys(plurals) as Kind[];

/** The parts of `metadata` that we look at. */
export type Metadata = {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  deletionTimestamp?: string;
  finalizers?: string[];
};

/** One aspect of a resource's state, by the Kubernetes API conventions (typical status properties). */
export type Condition = {
  type: 'Ready' | 'Verified' | 'Reconciling' | 'Stalled';
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
};

export type Status = { observedGeneration?: number; conditions?: Condition[] };

type ResourceOf<K extends Kind, Spec, Own> = {
  apiVersion: string;
  kind: K;
  metadata: Metadata;
  spec: Spec;
  status?: Status & Own;
};

export type DomainStatus = {
  domainId?: number;
  verificationStatus?: string;
  lastCheckTime?: string;
  mxRecords?: string[];
  accounts?: number;
};
export type AccountStatus = { accountId?: number; mailboxes?: string[]; usedBytes?: number };
export type ApiKeyStatus = { tokenId?: number; secretName?: string };

export type DomainResource = ResourceOf<
  'Domain',
  { domain: string; active: boolean; mxVerified?: boolean },
  DomainStatus
>;
export type AccountResource = ResourceOf<
  'Account',
  { address: string; active: boolean; catchAll?: boolean; storageLimit: string | number },
  AccountStatus
>;
export type ApiKeyResource = ResourceOf<
  'ApiKey',
  { secretName?: string; displayName?: string },
  ApiKeyStatus
>;
export type Resource = DomainResource | AccountResource | ApiKeyResource;
export type ResourceOfKind<K extends Kind> = Extract<Resource, { kind: K }>;

/** What a resource is called in the work queue. */
export type Key = { kind: Kind; namespace: string; name: string };

export function keyOf({ kind, metadata: { namespace, name } }: Resource): Key {
  return { kind, namespace, name };
}

/** `namespace/name`: how the store names the resource that manages a thing. */
export function managerOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/** Whether somebody has deleted it, and it waits for its finalizers. */
export function isDeleted({ metadata }: Resource): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether its status says that it is as its spec wants it. */
export function isReady({ status }: Resource): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

export function isHeld({ metadata }: Resource): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}
