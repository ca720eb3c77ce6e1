import type { Id } from '#core/ids.ts';

/** Kind of object that a Kubernetes resource manages. `team` stands for everything that a namespace's team owns. */
export type ManagedKind = 'team' | 'domain' | 'account' | 'api-key' | 'member';

/**
 * Object whose Kubernetes resource no longer exists, and the time since when. The time is `never` if the object should outlive its
 * resource.
 */
export type Orphan = { owner: Id; kind: ManagedKind; id: Id; since: Date };

/**
 * Time of an orphan that is kept forever. It is later than any other time, so earlier programs, which give it no special meaning, also
 * keep the orphan.
 */
export const never = new Date('9999-12-31T00:00:00Z');

/** Facts about managed objects that must outlive an operator process. */
export type ManagerStore = {
  /** Assigns a team's managed objects to a cluster unless another cluster already manages them. Returns the cluster that manages them. */
  claim(owner: Id, cluster: string): Promise<string>;
  /**
   * Records the time since when an object is an orphan, or that it is not an orphan (null). An object that is already recorded keeps its
   * earlier time.
   */
  markOrphan(object: Omit<Orphan, 'since'>, since: Date | null): Promise<void>;
};
