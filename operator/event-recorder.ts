import { createHash } from 'node:crypto';
import { type EventsV1Event, V1MicroTime } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { statusCodeOf, unlessConflict } from './api-errors.ts';
import type { Finding } from './conditions.ts';
import type { Resource } from './resources.ts';

/** Tells people of changes, as Kubernetes Events. */
export type EventRecorder = { record(resource: Resource, finding: Finding): Promise<void> };

/** The longest note that the API takes (event style guide). */
const noteLength = 1024;

/**
 * Events of one change have one name, so that a change is told once, even where the process that told it died before it
 * could write the status: the next one's Event is refused as already there.
 */
export function createEventRecorder(
  { events }: Pick<ApiClient, 'events'>,
  identity: string,
  clock: () => Date,
): EventRecorder {
  return {
    async record({ apiVersion, kind, metadata: { namespace, name, uid }, status }, finding) {
      const before = status?.conditions?.find(({ type }) => type === finding.type);
      const change = [uid, before?.status, before?.reason, before?.lastTransitionTime, finding];
      const hash = createHash('sha256').update(JSON.stringify(change)).digest('hex').slice(0, 16);
      const body: EventsV1Event = {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace, name: `${name.slice(0, 230)}.${hash}` },
        regarding: { apiVersion, kind, namespace, name, uid },
        eventTime: new V1MicroTime(clock()),
        type: finding.warning ? 'Warning' : 'Normal',
        reason: finding.reason,
        note: finding.message.slice(0, noteLength),
        action: 'Reconcile',
        reportingController: 'sandpost.dev/operator',
        reportingInstance: identity.slice(0, 128),
      };
      try {
        await unlessConflict(events.createNamespacedEvent({ namespace, body }));
      } catch (error) {
        // A namespace that is being deleted takes no Events, and who may write none shall still have a status.
        if (statusCodeOf(error) !== 403) throw error;
      }
    },
  };
}
