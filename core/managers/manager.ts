import type { Id } from '#core/ids.ts';

/** Kind of object that a Kubernetes resource manages. `team` means everything that a namespace's team has. */
export type ManagedKind = 'team' | 'domain' | 'account' | 'api-key' | 'member';

/** Object whose Kubernetes resource no longer exists, and since when. */
export type Orphan = { owner: Id; kind: ManagedKind; id: Id; since: Date };

/** Facts about managed objects that outlive an operator. */
export type ManagerStore = {
  /** Assigns a team's managed objects to a cluster, unless one has them already. Returns the cluster that has them. */
  claim(owner: Id, cluster: string): Promise<string>;
  /** Returns the cluster of each team whose managed objects were claimed. */
  claims(): Promise<Map<Id, string>>;
  orphans(): Promise<Orphan[]>;
  /** Records since when an object is an orphan, or that it is none (null). One that is recorded already keeps its time. */
  markOrphan(object: Omit<Orphan, 'since'>, since: Date | null): Promise<void>;
};
