import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiException, type EventsV1Api, type EventsV1Event } from '@kubernetes/client-node';
import { createEventRecorder } from './event-recorder.ts';
import type { Resource } from './resource.ts';

type Create = EventsV1Api['createNamespacedEvent'];

function recorderOn(create: (event: EventsV1Event) => Promise<EventsV1Event>) {
  const refused: unknown[] = [];
  const createNamespacedEvent: Create = ({ body }) => create(body);
  const events = { createNamespacedEvent } as EventsV1Api;
  const recorder = createEventRecorder(
    { events },
    {
      controller: 'example.com/operator',
      identity: 'operator-0',
      clock: () => new Date(0),
      onRefused: (error) => refused.push(error),
    },
  );
  return { recorder, refused };
}

const resource = (name: string): Resource => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { namespace: 'qa', name, uid: 'u', resourceVersion: '1', generation: 1 },
  spec: {},
});
const finding = { type: 'Ready', status: 'False', reason: 'Refused', message: 'no' } as const;

/** RFC 1123 subdomain, which the API server requires of names. */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const names: [string, string][] = [
  ['few characters', 'k'],
  ['253 characters', 'a'.repeat(253)],
  ['a hyphen at the cut', `${'a'.repeat(229)}-${'b'.repeat(10)}`],
  ['a dot at the cut', `${'a'.repeat(229)}.${'b'.repeat(10)}`],
  ['hyphens before the cut', `${'a'.repeat(200)}${'-'.repeat(40)}b`],
];
for (const [feature, name] of names) {
  test(`an Event for a resource whose name has ${feature} has a valid name`, async () => {
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
  [403, 'is given up'],
  [409, 'is given up'],
  [422, 'is given up'],
  [429, 'fails'],
  [500, 'fails'],
] as const) {
  test(`an Event that is answered with ${code} ${outcome}`, async () => {
    const { recorder, refused } = recorderOn(async () => {
      throw new ApiException(code, 'no', '{}', {});
    });
    const recording = recorder.record(resource('k'), finding);
    if (outcome === 'fails') await assert.rejects(recording);
    else await recording;
    assert.equal(refused.length, code === 403 || code === 422 ? 1 : 0);
  });
}
