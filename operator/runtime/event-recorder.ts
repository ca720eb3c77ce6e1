import { createHash } from 'node:crypto';
import { type EventsV1Event, V1MicroTime } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { statusCodeOf, unlessConflict } from './api-errors.ts';
import type { Finding } from './conditions.ts';
import type { Resource } from './resource.ts';

export type EventRecorderOptions = {
  /** Name of the program that writes the Events. */
  controller: string;
  /** Name of the process that writes the Events. */
  identity: string;
  clock: () => Date;
  /** Called with the error if the API server rejects an Event. */
  onRefused: (error: unknown) => void;
};

/** Maximum length of a resource's name within the name of an Event, which has up to 253 characters. */
const nameLength = 230;

/** Maximum length of a note that the API accepts. */
const noteLength = 1024;

/** Joins a resource's name and a hash into a valid name (RFC 1123 subdomain), without a dot or hyphen before the dot that joins them. */
function eventName(name: string, hash: string): string {
  // Bounded: the name has been truncated.
  return `${name.slice(0, nameLength).replace(/[.-]+$/, '')}.${hash}`;
}

/** Event about a resource. `change` identifies what happened: while an Event exists, another Event for the same change is not written. */
export type Announcement = { type: 'Warning' | 'Normal'; reason: string; message: string; change: unknown };

export type EventRecorder = ReturnType<typeof createEventRecorder>;

/**
 * Derives an Event's name from the change. If a process dies between writing the Event and the status, the change is repeated under the
 * same name, and the API server rejects the second Event.
 */
export function createEventRecorder(
  { events }: Pick<ApiClient, 'events'>,
  { controller, identity, clock, onRefused }: EventRecorderOptions,
) {
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
      reportingController: controller,
      reportingInstance: identity.slice(0, 128),
    };
    try {
      await unlessConflict(events.createNamespacedEvent({ namespace, body }));
    } catch (error) {
      // Even if an Event is rejected, for example in a namespace that is being deleted, the status must be written.
      const code = statusCodeOf(error);
      if (code === null || code === 429 || code >= 500) throw error;
      onRefused(error);
    }
  };
  return {
    /** Announces that a resource's condition changes to `finding`. */
    async record(
      { apiVersion, kind, metadata: { namespace, name, uid }, status }: Resource,
      finding: Finding,
    ) {
      const before = status?.conditions?.find(({ type }) => type === finding.type);
      const change = [uid, before?.status, before?.reason, before?.lastTransitionTime, finding];
      const type = finding.event ?? 'Normal';
      await create(namespace, { apiVersion, kind, name, uid }, { ...finding, type }, change);
    },
    /** Announces something that happened to a resource and that its conditions do not show. */
    async announce({ apiVersion, kind, metadata }: Resource, { change, ...event }: Announcement) {
      const { namespace, name, uid } = metadata;
      await create(namespace, { apiVersion, kind, name, uid }, event, [uid, event.reason, change]);
    },
    /** Warns a namespace's users. While an Event exists, another Event with the same message is not written. */
    async warn(namespace: string, reason: string, message: string) {
      const regarding = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
      await create(namespace, regarding, { type: 'Warning', reason, message }, message);
    },
  };
}
