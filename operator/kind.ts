import type { Id } from '#core/ids.ts';
import type { ManagedKind } from '#core/managers/manager.ts';
import type { Page, Slice } from '#core/page.ts';
import { type ReconcilePorts, type Reconciler, reconcile, type View } from './reconcile.ts';
import type { Key, Resource } from './runtime/resource.ts';

/**
 * Object in the store that a resource manages. `name` is unique in the store, or null if the object has no name. `stateOf` returns a
 * value that differs after each change that the resource's status shows.
 */
export type StoredObject = {
  owner: Id;
  id: Id;
  managedBy: string | null;
  name: string | null;
  stateOf?: () => unknown[];
};

/** Object as it is listed, with or without a manager. */
export type Listed = Pick<StoredObject, 'id' | 'managedBy'>;

/** Objects in the store that one kind's resources stand for. */
export type Objects = {
  /** Name of the objects' type in metrics and in the store's list of orphans. */
  kind: ManagedKind;
  /** Lists the managed objects of at least the given owners. */
  list(owners: Iterable<Id>): Promise<StoredObject[]>;
  /** Removes one object. Throws NotFound if the object no longer exists. */
  remove(object: StoredObject): Promise<void>;
  /** Lists all of an owner's objects. Absent if removing other objects removes these objects, too. */
  listAll?(owner: Id, page: Page): Promise<Slice<Listed>>;
  /** Removes everything that an owner has, instead of removing listed objects one by one. */
  removeAll?(owner: Id): Promise<void>;
  /** True if objects change without a change of any resource. The list, with states, is then polled. */
  isPolled: boolean;
};

/** Part of a kind that notices changes in the store immediately, for resources that wait for them. */
export type Listener = {
  /** Reports resources that need a reconciliation until `signal` is aborted. */
  listen(onChange: (key: Key) => void, signal: AbortSignal): Promise<void>;
  /**
   * Called for each resource that is new, changed or deleted (undefined), before it is reconciled. `isCreated`: the resource was just
   * created.
   */
  notice(key: Key, resource: Resource | undefined, isCreated: boolean): void;
};

type Traits = {
  /** Name in Kubernetes API paths. */
  plural: string;
  /** True if the operator can work without the kind's definition. */
  isOptional?: boolean;
  /** Objects that the resources stand for. Empty for a kind whose resources only read. */
  objects: Objects[];
  listener?: Listener;
};

/** Kind of resource. Its own resource type is hidden, so code that iterates over kinds sees only this type. */
export type Kind = Traits & {
  name: string;
  reconcile(ports: ReconcilePorts, resource: Resource): Promise<number | null>;
  /** Name of the object in the store that a resource stands for, or null. */
  nameOf(resource: Resource): string | null;
  /** Mail domain that a resource creates or depends on, or null. */
  domainOf(resource: Resource): string | null;
  /** Kind of the objects in the namespace that a resource depends on, or null. */
  dependsOn(resource: Resource): string | null;
};

/** Definition of a kind that uses the kind's own resource type. */
export type KindDefinition<R extends Resource, V extends View<R>, Effect extends { do: string }> = Traits & {
  name: R['kind'];
  reconciler: Reconciler<R, V, Effect>;
  nameOf?(resource: R): string | null;
  domainOf?(resource: R): string | null;
  dependsOn?(resource: R): string | null;
};

/** Narrows a resource to its kind's type. Throws if the resource is of another kind. */
export function ofKind<R extends Resource>(kind: R['kind'], resource: Resource): R {
  if (resource.kind !== kind) throw new Error(`${resource.kind} is not ${kind}`);
  return resource as R;
}

export function defineKind<R extends Resource, V extends View<R>, Effect extends { do: string }>({
  reconciler,
  nameOf = () => null,
  domainOf = () => null,
  dependsOn = () => null,
  ...traits
}: KindDefinition<R, V, Effect>): Kind {
  const own = (resource: Resource) => ofKind<R>(traits.name, resource);
  return {
    ...traits,
    reconcile: (ports, resource) => reconcile(ports, traits.plural, reconciler, own(resource)),
    nameOf: (resource) => nameOf(own(resource)),
    domainOf: (resource) => domainOf(own(resource)),
    dependsOn: (resource) => dependsOn(own(resource)),
  };
}
