import { isDeepStrictEqual } from 'node:util';
import { conditionsOf, type Finding, waiting } from './conditions.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Failure } from './failures.ts';
import type { Applied, Condition, FieldsOf, Resource } from './resource.ts';
import type { ResourceApi } from './resource-api.ts';

export type StatusPorts = {
  api: Pick<ResourceApi, 'applyStatus'>;
  events: Omit<EventRecorder, 'announce'>;
  clock: () => Date;
  /** Called after each write, with the resource as the API server returned it. */
  onWritten: (resource: Resource) => void;
};

/**
 * Writes a status if it has changed. Before that, writes an Event for each change to announce. `applied` is the spec that was last
 * applied, if known.
 */
export async function writeStatus<R extends Resource>(
  { api, events, clock, onWritten }: StatusPorts,
  resource: R,
  fields: FieldsOf<R>,
  findings: Finding[],
  applied: Applied | undefined,
): Promise<void> {
  const before = resource.status?.conditions ?? [];
  const observedGeneration = resource.metadata.generation;
  const conditions = conditionsOf(findings, before, observedGeneration, clock());
  const status = { observedGeneration, ...fields, ...(applied && { applied }), conditions };
  const { conditions: _, ...rest } = status;
  const { conditions: __, ...restBefore } = resource.status ?? {};
  if (isDeepStrictEqual(rest, restBefore) && isDeepStrictEqual(byType(conditions), byType(before))) return;
  for (const finding of findings) {
    const known = before.find(({ type }) => type === finding.type);
    const isNews =
      finding.status !== 'Unknown' && (known?.status !== finding.status || known.reason !== finding.reason);
    if (finding.event !== undefined && isNews) await events.record(resource, finding);
  }
  onWritten(await api.applyStatus(resource, status));
}

/** Writes the reason why a reconciliation failed. Writes a transient failure only if the spec is newer than the status. */
export async function writeFailure(
  ports: StatusPorts,
  resource: Resource,
  { reason, message, isTransient }: Failure,
): Promise<void> {
  const { observedGeneration, conditions = [], applied, ...fields } = resource.status ?? {};
  if (isTransient && observedGeneration === resource.metadata.generation) return;
  const findings = waiting(reason, message);
  // Applying a status that lacks a condition would remove the condition.
  const others = conditions.filter(({ type }) => findings.every((finding) => finding.type !== type));
  await writeStatus(ports, resource, fields, [...findings, ...others], applied);
}

const byType = (conditions: Condition[]) =>
  Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
