import type { Condition } from './resource.ts';

/** State of one aspect of a resource, from which its condition is derived. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & {
  /** Type of the Event that announces a change. Changes without a type are not announced. */
  event?: 'Normal' | 'Warning';
};

export function finding(
  type: string,
  status: Finding['status'],
  reason: string,
  message: string,
  event?: Finding['event'],
): Finding {
  return { type, status, reason, message, ...(event && { event }) };
}

const idle = finding('Reconciling', 'False', 'Idle', 'the operator has nothing left to do');
const unhindered = finding('Stalled', 'False', 'NotStalled', 'no action is needed');

/** Findings of a resource that is in the state required by its spec. */
export function ready(reason: string, message: string): Finding[] {
  return [finding('Ready', 'True', reason, message, 'Normal'), idle, unhindered];
}

/** Findings of a resource that waits for a dependency and does not need a person to change it. */
export function waiting(reason: string, message: string): Finding[] {
  const reconciling = finding('Reconciling', 'True', reason, message);
  return [finding('Ready', 'False', reason, message, 'Warning'), reconciling, unhindered];
}

/** Findings of a resource that a person must change; `message` names the change. */
export function stalled(reason: string, message: string): Finding[] {
  const isStalled = finding('Stalled', 'True', reason, message);
  return [finding('Ready', 'False', reason, message, 'Warning'), idle, isStalled];
}

/** Conditions of a status. Keeps `lastTransitionTime` of a condition whose status is unchanged. */
export function conditionsOf(
  findings: Finding[],
  before: Condition[],
  observedGeneration: number,
  now: Date,
): Condition[] {
  return findings.map(({ type, status, reason, message }) => {
    const known = before.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : timeOf(now);
    return { type, status, reason, message, lastTransitionTime, observedGeneration };
  });
}

/** Time in Kubernetes format: UTC, whole seconds. */
export function timeOf(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
