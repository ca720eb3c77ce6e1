import type { Services } from '#setup/services.ts';
import { createAccountKind } from './account/kind.ts';
import { createApiKeyKind } from './api-key/kind.ts';
import { createDomainKind } from './domain/kind.ts';
import { createInboxKind } from './inbox/kind.ts';
import type { Kind, Objects } from './kind.ts';
import { createMailExpectationKind } from './mail-expectation/kind.ts';
import { createMemberKind } from './member/kind.ts';
import { isReady, type Resource } from './runtime/resource.ts';
import type { Secrets } from './secrets.ts';

/** Kinds by name. */
export type Kinds = ReadonlyMap<string, Kind>;

/**
 * Registry of all kinds. The controller, the orphan sweep, the store watch and the informers iterate over it.
 *
 * A new kind needs one line here and one folder:
 * - `decide.ts`: the resource's type, and the next step for a state; pure, with a table of cases in `decide.test.ts`.
 * - `kind.ts`: the kind's names; `gather`, which reads the state of a resource and of its object in the store; `act`, which
 *   performs one step through the core's use cases; and how its objects are listed, removed and polled.
 *
 * `objects.ts` contains what is shared by kinds whose resources stand for a named object. A kind without objects only reads the
 * store. `secrets.ts`, `secret-keys.ts` and `repairs.ts` contain what is shared by kinds that put a key into a Secret.
 *
 * Outside the operator, a kind needs a definition in `crds/`, its plural in the chart's roles, and, if it has objects, a name in
 * the core's `ManagedKind` and its plural in the uninstall job. `test/long/operator/kinds.test.ts` finds a missing definition or
 * plural.
 */
export function createKinds(services: Services, secrets: Secrets): Kinds {
  const kinds = [
    createDomainKind(services),
    createAccountKind(services),
    createApiKeyKind(services, secrets),
    createMemberKind(services),
    createMailExpectationKind(services),
    createInboxKind(services, secrets),
  ];
  return new Map(kinds.map((kind) => [kind.name, kind]));
}

export function kindNamed(kinds: Kinds, name: string): Kind {
  const kind = kinds.get(name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

/** Kinds whose resources stand for objects in the store, once for each type of object. */
export function withObjects(kinds: Kinds): (Omit<Kind, 'objects'> & { objects: Objects })[] {
  return [...kinds.values()].flatMap((kind) => kind.objects.map((objects) => ({ ...kind, objects })));
}

/**
 * Resources that a change to the object of `resource` may affect: other kinds' resources on the same mail domain, which may depend on it;
 * unready resources of the same kind, which may wait for its name; and resources that depend on its kind.
 */
export function affectedBy(kinds: Kinds, resource: Resource, all: Resource[]): Resource[] {
  const domainOf = (one: Resource) => kindNamed(kinds, one.kind).domainOf(one);
  const domain = domainOf(resource);
  if (domain === null) return [];
  const dependsOn = (other: Resource) =>
    other.metadata.namespace === resource.metadata.namespace &&
    kindNamed(kinds, other.kind).dependsOn(other) === resource.kind;
  return all.filter(
    (other) =>
      ((other.kind !== resource.kind || !isReady(other)) && domainOf(other) === domain) || dependsOn(other),
  );
}
