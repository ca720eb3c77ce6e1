import type { Condition } from './resource.ts';

/** State of one aspect of a resource. The aspect's condition is derived from it. */
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

/** Returns the findings of a resource that is in the state that its spec requires. */
export function ready(reason: string, message: string): Finding[] {
  return [finding('Ready', 'True', reason, message, 'Normal'), idle, unhindered];
}

/** Returns the findings of a resource that waits for a dependency without anybody having to change the resource. */
export function waiting(reason: string, message: string): Finding[] {
  const reconciling = finding('Reconciling', 'True', reason, message);
  return [finding('Ready', 'False', reason, message, 'Warning'), reconciling, unhindered];
}

/** Returns the findings of a resource that somebody must change; `message` says how. */
export function stalled(reason: string, message: string): Finding[] {
  const isStalled = finding('Stalled', 'True', reason, message);
  return [finding('Ready', 'False', reason, message, 'Warning'), idle, isStalled];
}

/** Returns the conditions of a status. A condition whose status has not changed keeps its `lastTransitionTime`. */
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

/** Formats a time as Kubernetes does: in UTC, with whole seconds. */
export function timeOf(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
