import type { Id } from '#core/ids.ts';

/** A kind of thing that a Kubernetes resource manages; `user`: all that a namespace's service user has. */
export type ManagedKind = 'user' | 'domain' | 'account' | 'api-key';

/** A managed thing of a user whose resource has been missing since a time. */
export type Orphan = { owner: Id; kind: ManagedKind; id: Id; since: Date };

/** Facts about managed things that have to outlive an operator. */
export type ManagerStore = {
  /** Gives a user's managed things to a cluster, unless they are one's already. Returns the cluster that has them. */
  claim(owner: Id, cluster: string): Promise<string>;
  /** The cluster of each user whose managed things were claimed. */
  claims(): Promise<Map<Id, string>>;
  orphans(): Promise<Orphan[]>;
  /** Notes an orphan; one that is noted already keeps its time. */
  noteOrphan(orphan: Orphan): Promise<void>;
  forgetOrphan(kind: ManagedKind, id: Id): Promise<void>;
};
