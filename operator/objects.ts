import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { ManagedKind } from '#core/managers/manager.ts';
import { type AuditAction, kubernetes } from '#core/teams/audit-log.ts';
import { recordAction } from '#core/teams/record-action.ts';
import type { Services } from '#setup/services.ts';
import { isAbandoned, kindOfManager, managerOf } from './manager.ts';
import {
  type CommonStep,
  finalizerStep,
  notReady,
  type Report,
  type ResourceReader,
  type View,
} from './reconcile.ts';
import { type DeletionPolicy, policyOf, setPolicy } from './retention.ts';
import { type Finding, stalled } from './runtime/conditions.ts';
import { isDeleted, type Resource, type ResourceOf } from './runtime/resource.ts';
import { wantedOf } from './spec.ts';

/** Object in the store that has a name and a single resource: a domain or an account. */
export type NamedObject = { id: Id; managedBy: string | null };

/** Resource that stands for a named object. */
export type NamedResource = ResourceOf<string, { deletionPolicy?: DeletionPolicy }, unknown>;

/**
 * `stored` is the owner's object with the resource's name, with its policy. `isAbandoned` is true if the resource that manages the object
 * no longer exists.
 */
export type NamedView<R extends NamedResource, O extends NamedObject> = View<R> & {
  stored: O | null;
  isAbandoned: boolean;
  policy: DeletionPolicy;
};

/** Reads the part of a view that concerns the owner's object with the resource's name. */
export async function stateOf<R extends NamedResource, O extends NamedObject & { owner: Id }>(
  { rows }: Pick<Services, 'rows'>,
  resources: ResourceReader,
  resource: R,
  kind: ManagedKind,
  stored: O | null,
  nameOf: (resource: R) => string | null,
): Promise<Omit<NamedView<R, O>, keyof View<R>>> {
  if (stored === null) return { stored, isAbandoned: false, policy: 'Delete' };
  const standsFor = (other: R) => nameOf(other) === nameOf(resource);
  const policy = await policyOf(rows, { ...stored, kind });
  return { stored, policy, isAbandoned: await isAbandoned(resources, resource, stored, standsFor) };
}

export type NamedEffect<Change> =
  | { do: 'create' }
  | { do: 'change'; id: Id; change: Change }
  | { do: 'adopt'; id: Id; from: string | null }
  | { do: 'set-policy'; id: Id; policy: DeletionPolicy }
  | { do: 'delete'; id: Id };

/** Parts that a kind contributes to the decision about a named object. */
type Terms<R extends Resource, O extends NamedObject, Change extends object> = {
  nameOf(stored: O): string;
  /** Step for a resource whose object does not exist. */
  missing: Report<R> | { do: 'create' };
  /** Values in the spec that differ from the object's. */
  changeOf(stored: O): Change;
  upToDate(stored: O): Report<R>;
};

/** Returns the next step toward the spec of a resource that stands for a named object. */
export function decideNamed<R extends NamedResource, O extends NamedObject, Change extends object>(
  view: NamedView<R, O>,
  { nameOf, missing, changeOf, upToDate }: Terms<R, O, Change>,
): CommonStep<R> | NamedEffect<Change> {
  const { resource, stored, isAbandoned } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const isOurs = stored?.managedBy === managerOf(resource.metadata);
  const { policy, kept } = wantedPolicy(view);
  const isOther = stored !== null && isOurs && policy !== view.policy;
  if (isOther) return { do: 'set-policy', id: stored.id, policy };
  if (isDeleted(resource)) {
    const goes = stored !== null && isOurs && policy === 'Delete';
    return goes ? { do: 'delete', id: stored.id } : { do: 'remove-finalizer' };
  }
  if (stored === null) return missing;
  if (isAbandoned) return { do: 'adopt', id: stored.id, from: stored.managedBy };
  if (!isOurs) return notReady(conflict(resource, nameOf(stored), stored.managedBy));
  const change = changeOf(stored);
  if (Object.keys(change).length > 0) return { do: 'change', id: stored.id, change };
  const report = upToDate(stored);
  return { ...report, kept: [...(report.kept ?? []), ...kept] };
}

/** Returns the object's wanted policy, and whether the policy stays although the spec omits it. */
function wantedPolicy<R extends NamedResource, O extends NamedObject>(view: NamedView<R, O>) {
  const { deletionPolicy } = view.resource.spec;
  const stored = view.stored && { deletionPolicy: view.policy };
  const defaults: { deletionPolicy: DeletionPolicy } = { deletionPolicy: 'Delete' };
  const { wanted, kept } = wantedOf(view, { deletionPolicy }, defaults, stored);
  return { policy: wanted.deletionPolicy, kept };
}

/** Returns the wanted values that differ from the stored ones. */
export function differences<T extends object>(wanted: T, stored: NoInfer<T>): Partial<T> {
  const names = Object.keys(wanted) as (keyof T)[];
  return Object.fromEntries(
    names.filter((name) => wanted[name] !== stored[name]).map((name) => [name, wanted[name]]),
  ) as Partial<T>;
}

function conflict({ kind, metadata }: Resource, name: string, managedBy: string | null): Finding[] {
  if (managedBy === null) {
    const message = `${name} was created through the API: delete it there, or delete this ${kind}`;
    return stalled('ManagedByApi', message);
  }
  const other = `${kindOfManager(managedBy) ?? kind} ${managedBy}`;
  return stalled(
    'Duplicate',
    `the ${other} already manages ${name}: delete it, or delete ${managerOf(metadata)}`,
  );
}

/** Core use cases for a kind's objects. `manager` is the resource that has managed the object so far. */
type UseCases<Change> = {
  create(manager: string): Promise<unknown>;
  change(id: Id, change: Change | { managedBy: string }, manager: string | null): Promise<unknown>;
  remove(id: Id, manager: string): Promise<unknown>;
};

/** Performs an effect through the core's use cases. */
export async function actOnNamed<Change>(
  { managers }: Pick<Services, 'managers'>,
  kind: ManagedKind,
  effect: NamedEffect<Change>,
  { owner, resource }: { owner: Id; resource: Resource },
  { create, change, remove }: UseCases<Change>,
): Promise<void> {
  const manager = managerOf(resource.metadata);
  if (effect.do === 'create') await create(manager);
  else if (effect.do === 'change') await change(effect.id, effect.change, manager);
  else if (effect.do === 'adopt') await change(effect.id, { managedBy: manager }, effect.from);
  else if (effect.do === 'set-policy')
    await setPolicy(managers, { owner, kind, id: effect.id }, effect.policy);
  else await remove(effect.id, manager).catch(ignoreNotFound);
}

/** Ignores NotFound, because an object that no longer exists counts as removed. */
export function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}

/** Waits for a change, and records it in the audit log of the namespace's team. Throws the change's error. */
export async function audited<T>(
  ports: Pick<Services, 'auditLog' | 'log' | 'clock'>,
  team: Id,
  action: AuditAction,
  change: Promise<T>,
  targetOf: (changed: T) => string,
): Promise<void> {
  await recordAction(ports, team, kubernetes, action, targetOf(await change));
}
