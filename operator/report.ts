import { isDeepStrictEqual } from 'node:util';
import { conditionsOf, type Finding, waiting } from './conditions.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Failure } from './failures.ts';
import type { ResourceApi } from './resource-api.ts';
import type { Condition, Resource } from './resources.ts';

/** Aspects whose changes are Events; the others only say the same in other words. */
const told = ['Ready', 'Verified'];

export type ReportPorts = {
  api: Pick<ResourceApi, 'applyStatus'>;
  events: EventRecorder;
  clock: () => Date;
  /** Hears of the resource as it is with its new status. */
  onWritten: (resource: Resource) => void;
};

/** Brings the status up to date, with an Event for each change that matters. Writes nothing where nothing is new. */
export async function report<R extends Resource>(
  { api, events, clock, onWritten }: ReportPorts,
  resource: R,
  fields: Omit<NonNullable<R['status']>, 'conditions' | 'observedGeneration'>,
  findings: Finding[],
): Promise<void> {
  const before = resource.status?.conditions ?? [];
  const observedGeneration = resource.metadata.generation;
  const conditions = conditionsOf(findings, before, observedGeneration, clock());
  const status = { observedGeneration, ...fields, conditions };
  const { conditions: _, ...rest } = status;
  const { conditions: __, ...restBefore } = resource.status ?? {};
  if (isDeepStrictEqual(rest, restBefore) && isDeepStrictEqual(byType(conditions), byType(before))) return;
  for (const finding of findings) {
    const known = before.find(({ type }) => type === finding.type);
    const isNews =
      finding.status !== 'Unknown' && (known?.status !== finding.status || known.reason !== finding.reason);
    if (told.includes(finding.type) && isNews) await events.record(resource, finding);
  }
  onWritten(await api.applyStatus(resource, status));
}

/** Says why a look failed. A passing failure is told only of a resource that nobody could look at yet, new or changed. */
export async function reportFailure<R extends Resource>(
  ports: ReportPorts,
  resource: R,
  { reason, message, isPassing }: Failure,
): Promise<void> {
  const { observedGeneration, conditions = [], ...fields } = resource.status ?? {};
  if (isPassing && observedGeneration === resource.metadata.generation) return;
  // Applying a status without a condition would remove it.
  const others = conditions.filter(({ type }) => !failed.includes(type));
  await report<Resource>(ports, resource, fields, [...waiting(reason, message), ...others]);
}

/** The aspects that a failure speaks of. */
const failed: Condition['type'][] = ['Ready', 'Reconciling', 'Stalled'];

const byType = (conditions: Condition[]) =>
  Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
