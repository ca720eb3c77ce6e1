import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/runner/until.ts';
import { type ControllerPorts, createController } from './controller.ts';
import type { Kind } from './kind.ts';
import type { Informers } from './runtime/informers.ts';
import { keyOf, type Resource } from './runtime/resource.ts';

const widget: Resource = {
  apiVersion: 'sandpost.dev/v1alpha1',
  kind: 'Widget',
  metadata: { namespace: 'qa', name: 'w', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: {},
};

test('a resource that goes while it is reconciled is forgotten afterwards', async (t) => {
  const told: string[] = [];
  let end = () => {};
  const kind: Kind = {
    ...{ name: 'Widget', plural: 'widgets', objects: [] },
    ...{ nameOf: () => null, domainOf: () => null, dependsOn: () => null },
    listener: {
      listen: async () => {},
      notice: (_key, resource, isCreated) => told.push(resource ? `there ${isCreated}` : 'gone'),
    },
    reconcile() {
      told.push('begins');
      return new Promise((resolve) => {
        end = () => {
          told.push('ends');
          resolve(null);
        };
      });
    },
  };
  const listeners = new Set<Parameters<Informers['subscribe']>[0]>();
  const copies = new Map<string, Resource>();
  const ports: unknown = {
    kinds: new Map([['Widget', kind]]),
    informers: {
      subscribe(listener: Parameters<Informers['subscribe']>[0]) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      get: ({ name }: { name: string }) => copies.get(name),
      all: () => [...copies.values()],
      covers: () => true,
    },
    definitions: { watch: async () => {} },
    watchSecrets: async () => {},
    events: { record: async () => {}, warn: async () => {} },
    services: {
      log: { info() {}, warn() {}, debug() {} },
      metrics: {
        reconcileSeconds: { startTimer: () => () => {} },
        reconcileQueue: { set() {} },
        reconcileFailures: { inc() {} },
        orphans: { reset() {} },
        foreignThings: { reset() {} },
      },
      clock: () => new Date(),
    },
    isLeading: () => true,
  };
  const controller = createController(ports as ControllerPorts);
  const stopping = new AbortController();
  t.after(() => stopping.abort());
  const run = controller.run(stopping.signal);
  const tell = (isCreated: boolean) => {
    for (const listener of listeners) listener(keyOf(widget), isCreated);
  };
  copies.set('w', widget);
  tell(true);
  await until(() => told.includes('begins'), 5000, 1);
  copies.clear();
  tell(false);
  end();
  await until(() => told.at(-1) === 'gone' && told.includes('ends'), 5000, 1);
  assert.deepEqual(told, ['there true', 'begins', 'gone', 'ends', 'gone']);
  stopping.abort();
  await run;
});
