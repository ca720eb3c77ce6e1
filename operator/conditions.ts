import type { Condition } from './resources.ts';

/** What is to be said of one aspect; `warning`: its Event is of type Warning. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & { warning?: true };

/** The resource is as its spec wants it. */
export function ready(reason: string, message: string): Finding[] {
  return [
    { type: 'Ready', status: 'True', reason, message },
    { type: 'Reconciling', status: 'False', reason, message },
    { type: 'Stalled', status: 'False', reason, message },
  ];
}

/** It is not yet, and will be without anybody's doing as soon as something else is there. */
export function waiting(reason: string, message: string): Finding[] {
  return [
    { type: 'Ready', status: 'False', reason, message, warning: true },
    { type: 'Reconciling', status: 'True', reason, message },
    { type: 'Stalled', status: 'False', reason, message },
  ];
}

/** It cannot be before somebody changes something; `message` says what. */
export function stalled(reason: string, message: string): Finding[] {
  return [
    { type: 'Ready', status: 'False', reason, message, warning: true },
    { type: 'Reconciling', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ];
}

/** The conditions of a status: `lastTransitionTime` is kept where the status stays what it was. */
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

/** A time as Kubernetes writes it: UTC, whole seconds. */
export function timeOf(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
