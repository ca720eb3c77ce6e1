import { createHash } from 'node:crypto';
import { type EventsV1Event, V1MicroTime } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { statusCodeOf, unlessConflict } from './api-errors.ts';
import type { Finding } from './conditions.ts';
import type { Resource } from './resources.ts';

/** Tells people of changes, as Kubernetes Events. */
export type EventRecorder = {
  record(resource: Resource, finding: Finding): Promise<void>;
  /** Tells people of a namespace what in it has lost its resource; the same words are not repeated while they stand. */
  warn(namespace: string, message: string): Promise<void>;
};

/** The length to which a resource's name is cut, so that an Event's name stays under the 253 characters of the API. */
const mostOfName = 230;

/** A name that is valid (RFC 1123 subdomain): a cut must not leave a dot or hyphen before the dot. */
function eventName(name: string, hash: string): string {
  return `${name.slice(0, mostOfName).replace(/[.-]+$/, '')}.${hash}`;
}

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
  onRefused: (error: unknown) => void,
): EventRecorder {
  const create = async (
    namespace: string,
    regarding: { apiVersion: string; kind: string; name: string; uid?: string },
    { type, reason, message }: { type: 'Warning' | 'Normal'; reason: string; message: string },
    change: unknown,
  ) => {
    const hash = createHash('sha256').update(JSON.stringify(change)).digest('hex').slice(0, 16);
    const body: EventsV1Event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, name: eventName(regarding.name, hash) },
      regarding: { ...regarding, namespace },
      eventTime: new V1MicroTime(clock()),
      type,
      reason,
      note: message.slice(0, noteLength),
      action: 'Reconcile',
      reportingController: 'sandpost.dev/operator',
      reportingInstance: identity.slice(0, 128),
    };
    try {
      await unlessConflict(events.createNamespacedEvent({ namespace, body }));
    } catch (error) {
      // An Event that the API server does not take, as in a namespace that is being deleted, must not cost the status.
      const code = statusCodeOf(error);
      if (code === null || code === 429 || code >= 500) throw error;
      onRefused(error);
    }
  };
  return {
    async record({ apiVersion, kind, metadata: { namespace, name, uid }, status }, finding) {
      const before = status?.conditions?.find(({ type }) => type === finding.type);
      const change = [uid, before?.status, before?.reason, before?.lastTransitionTime, finding];
      const type = finding.warning ? 'Warning' : 'Normal';
      await create(namespace, { apiVersion, kind, name, uid }, { ...finding, type }, change);
    },
    async warn(namespace, message) {
      const regarding = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
      await create(namespace, regarding, { type: 'Warning', reason: 'Orphaned', message }, message);
    },
  };
}
