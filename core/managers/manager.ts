import type { Id } from '#core/ids.ts';

/** Kind of object that a Kubernetes resource manages. `team` means everything that a namespace's team owns. */
export type ManagedKind = 'team' | 'domain' | 'account' | 'api-key' | 'member';

/** Object whose Kubernetes resource no longer exists, and since when. `never` marks an object that outlives its resource. */
export type Orphan = { owner: Id; kind: ManagedKind; id: Id; since: Date };

/** Timestamp of an orphan that is kept forever. It is later than any other, so programs that do not recognize it also keep the orphan. */
export const never = new Date('9999-12-31T00:00:00Z');

/** Facts about managed objects that outlive an operator. */
export type ManagerStore = {
  /** Assigns a team's managed objects to a cluster unless a cluster already has them. Returns the cluster that has them. */
  claim(owner: Id, cluster: string): Promise<string>;
  /** Records since when an object is an orphan, or that it is not (null). An object that is already recorded keeps its time. */
  markOrphan(object: Omit<Orphan, 'since'>, since: Date | null): Promise<void>;
};
