import { isDeepStrictEqual } from 'node:util';
import { Invalid, NotFound, StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { LimitName } from '#core/limits.ts';
import { DefinitionReplaced, type Definitions } from './definitions.ts';
import { apiGroup } from './group.ts';
import { type Finding, stalled } from './runtime/conditions.ts';
import { type Failure, NotLeading, failureOf as runtimeFailureOf, transient } from './runtime/failures.ts';
import { type FieldsOf, hasFinalizer, isDeleted, keyOf, type Resource } from './runtime/resource.ts';
import type { ResourceApi } from './runtime/resource-api.ts';
import { type StatusPorts, writeStatus } from './runtime/status.ts';
import { appliedOf, completeness, type Kept, unknownFields, withoutDefaults } from './spec.ts';
import type { Tenants } from './tenants.ts';

/** Last step: the status to write, and the delay in ms until the next reconciliation. Null: the next change causes it. */
export type Report<R extends Resource> = {
  do: 'report';
  fields: FieldsOf<R>;
  findings: Finding[];
  requeueAfterMs: number | null;
  /** True if the spec has been applied. */
  isApplied?: boolean;
  /** Fields that the spec omits but whose stored values stay. */
  kept?: Kept[];
  /** Limits that were reached. */
  limits?: LimitName[];
};

type FinalizerStep = { do: 'add-finalizer' } | { do: 'remove-finalizer' } | { do: 'nothing' };

/** Ends the reconciliation for now. The status stays unchanged. */
type Wait = { do: 'wait'; ms: number };

/** Steps that every kind has. */
export type CommonStep<R extends Resource> = FinalizerStep | Wait | Report<R>;

/**
 * Input for `decide`. The spec of `resource` excludes values that equal a default of the API server. `owner` is the team of the
 * resource's namespace, or null until the team is created. `lacking` are the fields that the API server removes from the spec because its
 * definition (CRD) lacks them.
 */
export type View<R extends Resource> = { resource: R; owner: Id | null; lacking: readonly string[] };

/**
 * Reconciliation of one kind: `gather` reads the state, `decide` (pure) returns the next step, and `act` performs it. After each step,
 * all this starts over, so an interruption at any point is harmless.
 */
export type Reconciler<R extends Resource, V extends View<R>, Effect extends { do: string }> = {
  /** Fields that name the object. If one of them is missing, nothing is done for the resource. */
  identity: readonly string[];
  gather(known: View<R>, resources: ResourceReader): Promise<V>;
  decide(view: V): CommonStep<R> | Effect;
  /** Performs a step. Throws Invalid if the core refuses. */
  act(effect: Effect, view: V & { owner: Id }): Promise<void>;
  /** Returns the report on a refusal. By default, the report contains the core's messages. */
  refused?(view: V, refusal: Invalid): Report<R>;
};

/** Reads resources directly from the API server. */
export type ResourceReader = Pick<ResourceApi, 'read'>;

export type ReconcilePorts = StatusPorts & {
  api: Pick<ResourceApi, 'read' | 'addFinalizer' | 'removeFinalizer' | 'applyStatus' | 'remove'>;
  definitions: Pick<Definitions, 'read'>;
  tenants: Pick<Tenants, 'find' | 'ensure'>;
  /** Called after each effect on the store or on a Secret. */
  onEffect(resource: Resource, effect: string): void;
  /** Called after the finalizer was removed. */
  onReleased(resource: Resource): void;
  limitReached(name: LimitName): void;
  /** Returns false once another operator may have started to work. */
  isLeading(): boolean;
};

/** Interval in ms between reconciliations of a resource whose state can change without an event. */
export const recheckMs = 60_000;

/** Maximum number of steps, and of identical steps. A reconciliation needs fewer, so exceeding either number indicates a loop. */
const maxSteps = 20;
const maxSame = 3;

/** Performs steps until the status has been written. Returns the delay in ms until the next reconciliation, or null. */
export async function reconcile<R extends Resource, V extends View<R>, Effect extends { do: string }>(
  ports: ReconcilePorts,
  plural: string,
  reconciler: Reconciler<R, V, Effect>,
  given: R,
): Promise<number | null> {
  const { gather, decide, act, refused: refusedBy = (_view, refusal) => refused(refusal) } = reconciler;
  const { namespace } = given.metadata;
  let resource = given;
  /** True if the resource was read after its definition. An informer's copy may be older than the definition. */
  let isFresh = false;
  const taken: object[] = [];
  const { lacking, statusLacking, defaults } = await ports.definitions.read(given.kind);
  while (taken.length < maxSteps) {
    const said = withoutDefaults(resource, defaults);
    const finish = async ({
      fields,
      findings,
      requeueAfterMs,
      isApplied,
      kept = [],
      limits = [],
    }: Report<R>) => {
      if (!ports.isLeading()) throw new NotLeading();
      limits.forEach(ports.limitReached);
      const isKnown = ([name]: [string, unknown]) => !statusLacking.includes(name);
      const known = Object.fromEntries(Object.entries(fields).filter(isKnown)) as FieldsOf<R>;
      const record = isApplied ? appliedOf(said) : resource.status?.applied;
      const applied = statusLacking.includes('applied') ? undefined : record;
      const missing = completeness(plural, lacking, kept);
      await writeStatus(ports, resource, known, [...findings, ...missing], applied);
      return requeueAfterMs;
    };
    const unknown = lacking.filter((field) => reconciler.identity.includes(field));
    if (unknown.length > 0 && finalizerStep(resource)?.do !== 'nothing') {
      return finish(notReady(unknownFields(plural, lacking, unknown)));
    }
    const view = await gather(
      { resource: said, owner: await ports.tenants.find(namespace), lacking },
      ports.api,
    );
    const step = decide(view);
    if (step.do === 'nothing') return null;
    if (isWait(step)) return step.ms;
    if (!ports.isLeading()) throw new NotLeading();
    if (!isFresh && dependsOnAbsence(step)) {
      const read = await ports.api.read(keyOf(resource));
      if (read === null) return null;
      isFresh = true;
      resource = read as R;
      continue;
    }
    if (isReport<R>(step)) return finish(step);
    if (taken.filter((one) => isDeepStrictEqual(one, step)).length >= maxSame) {
      throw new Error(`the step ${step.do} has no effect`);
    }
    taken.push(step);
    if (step.do === 'remove-finalizer') {
      await ports.api.removeFinalizer(resource);
      ports.onReleased(resource);
      return null;
    }
    if (step.do === 'add-finalizer') {
      // A later leader finds through the namespace's team what it must release.
      if (view.owner === null) {
        await ports.tenants.ensure(namespace);
        if (!ports.isLeading()) throw new NotLeading();
      }
      resource = await ports.api.addFinalizer(resource);
      ports.onWritten(resource);
      isFresh = true;
      continue;
    }
    try {
      const owner = view.owner ?? (await ports.tenants.ensure(namespace));
      await act(step as Effect, { ...view, owner });
      ports.onEffect(resource, step.do);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      error.limits.forEach(ports.limitReached);
      return finish(refusedBy(view, error));
    }
  }
  throw new Error(`the reconciliation did not end within ${maxSteps} steps`);
}

/** Returns true for a change to the store, and for a report that a resource lacks fields. With an outdated copy, both may be wrong. */
function dependsOnAbsence(step: { do: string; kept?: Kept[] }): boolean {
  if (step.do === 'report') return step.kept !== undefined && step.kept.length > 0;
  return step.do !== 'add-finalizer' && step.do !== 'remove-finalizer';
}

/**
 * Returns the first step of every kind: adds the finalizer before any effect. Ends the reconciliation of a deleted resource that does not
 * have the finalizer.
 */
export function finalizerStep(resource: Resource): FinalizerStep | null {
  if (hasFinalizer(resource, apiGroup.finalizer)) return null;
  return { do: isDeleted(resource) ? 'nothing' : 'add-finalizer' };
}

export function reportOf<R extends Resource>(
  fields: FieldsOf<R>,
  findings: Finding[],
  requeueAfterMs: number | null = null,
): Report<R> {
  return { do: 'report', fields, findings, requeueAfterMs };
}

/** Returns the report on an unready resource. The report shows no fields and requests another reconciliation after `recheckMs`. */
export function notReady<R extends Resource>(findings: Finding[]): Report<R> {
  // A kind's own fields are all optional.
  return reportOf({} as FieldsOf<R>, findings, recheckMs);
}

/** Returns the report on a refusal by the core, for example of a malformed name or because of an exhausted quota. */
export function refused<R extends Resource>({ violations }: Invalid, prefix = ''): Report<R> {
  return notReady(stalled('Refused', prefix + violations.map(({ message }) => message).join('; ')));
}

/**
 * Returns the failure that the conditions show for an error from the core or the API server, or null if the error results from a race.
 */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof NotFound || error instanceof DefinitionReplaced) return null;
  if (error instanceof StoreUnavailable) {
    return transient('StoreUnavailable', "Sandpost's store is unreachable; the operator is retrying");
  }
  return runtimeFailureOf(error);
}

function isWait(step: { do: string }): step is Wait {
  return step.do === 'wait';
}

function isReport<R extends Resource>(step: { do: string }): step is Report<R> {
  return step.do === 'report';
}
