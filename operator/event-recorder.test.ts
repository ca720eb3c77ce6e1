import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiException, type EventsV1Api, type EventsV1Event } from '@kubernetes/client-node';
import { createEventRecorder } from './event-recorder.ts';
import type { Resource } from './resources.ts';

type Create = EventsV1Api['createNamespacedEvent'];

function recorderOn(create: (event: EventsV1Event) => Promise<EventsV1Event>) {
  const refused: unknown[] = [];
  const createNamespacedEvent: Create = ({ body }) => create(body);
  const events = { createNamespacedEvent } as EventsV1Api;
  const recorder = createEventRecorder(
    { events },
    'operator-0',
    () => new Date(0),
    (error) => refused.push(error),
  );
  return { recorder, refused };
}

const resource = (name: string): Resource => ({
  apiVersion: 'sandpost.dev/v1alpha1',
  kind: 'ApiKey',
  metadata: { namespace: 'qa', name, uid: 'u', resourceVersion: '1', generation: 1 },
  spec: {},
});
const finding = { type: 'Ready', status: 'False', reason: 'Refused', message: 'no' } as const;

/** RFC 1123 subdomain, as the API server checks names. */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const names: [string, string][] = [
  ['a short one', 'k'],
  ['the longest', 'a'.repeat(253)],
  ['a hyphen at the cut', `${'a'.repeat(229)}-${'b'.repeat(10)}`],
  ['a dot at the cut', `${'a'.repeat(229)}.${'b'.repeat(10)}`],
  ['hyphens before the cut', `${'a'.repeat(200)}${'-'.repeat(40)}b`],
];
for (const [what, name] of names) {
  test(`the Event of a resource whose name has ${what} has a valid name`, async () => {
    const made: string[] = [];
    const { recorder } = recorderOn(async (event) => {
      made.push(event.metadata?.name ?? '');
      return event;
    });
    await recorder.record(resource(name), finding);
    assert.match(made[0] ?? '', subdomain);
    assert.ok((made[0] ?? '').length <= 253);
  });
}

for (const [code, outcome] of [
  [403, 'passes'],
  [409, 'passes'],
  [422, 'passes'],
  [429, 'is repeated'],
  [500, 'is repeated'],
] as const) {
  test(`an Event that is answered with ${code} ${outcome}`, async () => {
    const { recorder, refused } = recorderOn(async () => {
      throw new ApiException(code, 'no', '{}', {});
    });
    const recording = recorder.record(resource('k'), finding);
    if (outcome === 'is repeated') await assert.rejects(recording);
    else await recording;
    assert.equal(refused.length, code === 403 || code === 422 ? 1 : 0);
  });
}
