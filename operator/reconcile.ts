import { Invalid } from '#core/errors.ts';
import type { LimitName } from '#core/limits.ts';
import type { Finding } from './conditions.ts';
import { type ReportPorts, report } from './report.ts';
import type { ResourceApi } from './resource-api.ts';
import type { Resource } from './resources.ts';

/** What a look at a resource ends with: its status, and after how many ms to look again (null: when something changes). */
export type Report<R extends Resource> = {
  do: 'report';
  fields: Omit<NonNullable<R['status']>, 'conditions' | 'observedGeneration'>;
  findings: Finding[];
  againMs: number | null;
};

/** Steps that all kinds have: put our finalizer on, take it off, leave alone. */
export type CommonStep<R extends Resource> =
  | { do: 'hold' }
  | { do: 'release' }
  | { do: 'nothing' }
  | Report<R>;

/**
 * How one kind is reconciled. `gather` reads all that matters, `decide` (pure) names the one next step, `act` does it;
 * then from the beginning, so that it does not matter where an earlier one was broken off.
 */
export type Reconciler<R extends Resource, View, Effect extends { do: string }> = {
  gather(resource: R): Promise<View>;
  decide(view: View): CommonStep<R> | Effect;
  /** Throws Invalid where the core refuses. */
  act(effect: Effect, view: View): Promise<void>;
  refused(view: View, refusal: Invalid): Report<R>;
};

export type ReconcilePorts = ReportPorts & {
  api: Pick<ResourceApi, 'setHeld' | 'applyStatus'>;
  /** Called after each effect. */
  onEffect(resource: Resource, effect: string): void;
  limitReached(name: LimitName): void;
  /** False once another operator may have begun. */
  isLeading(): boolean;
};

/** Ends a run whose process is no longer the leader. */
export class NotLeading extends Error {
  override name = 'NotLeading';
}

/** More steps than any way to a goal has: who takes more turns in circles. */
const mostSteps = 20;

/** Takes step after step until the status can be told. Gives after how many ms to look again, or null. */
export async function reconcile<R extends Resource, View, Effect extends { do: string }>(
  ports: ReconcilePorts,
  { gather, decide, act, refused }: Reconciler<R, View, Effect>,
  given: R,
): Promise<number | null> {
  let resource = given;
  const tell = async ({ fields, findings, againMs }: Report<R>) => {
    await report(ports, resource, fields, findings);
    return againMs;
  };
  for (let steps = 0; steps < mostSteps; steps++) {
    const view = await gather(resource);
    const step = decide(view);
    if (step.do === 'nothing') return null;
    if (!ports.isLeading()) throw new NotLeading();
    if (isReport<R>(step)) return tell(step);
    if (step.do === 'release') {
      await ports.api.setHeld(resource, false);
      ports.onEffect(resource, 'release');
      return null;
    }
    if (step.do === 'hold') {
      resource = await ports.api.setHeld(resource, true);
      ports.onWritten(resource);
      continue;
    }
    try {
      await act(step as Effect, view);
      ports.onEffect(resource, step.do);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      error.limits.forEach(ports.limitReached);
      return tell(refused(view, error));
    }
  }
  throw new Error(`not done after ${mostSteps} steps`);
}

function isReport<R extends Resource>(step: { do: string }): step is Report<R> {
  return step.do === 'report';
}

/** How soon to look again at what waits for somebody, ms. */
export const lookAgainMs = 60_000;
