import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import { never, type Orphan } from '#core/managers/manager.ts';
import { apiGroup } from './group.ts';
import type { Kind, StoredObject } from './kind.ts';
import { createOrphans } from './orphans.ts';
import type { Key, Resource } from './runtime/resource.ts';

const begin = new Date('2026-11-21T10:00:00Z');
const gracePeriodMs = 3_600_000;
const tenant = { namespace: 'qa', owner: 1, cluster: 'here' };
const account: StoredObject = { owner: 1, id: 7, managedBy: 'qa/a', name: 'a' };
const ofInbox: StoredObject = { owner: 1, id: 8, managedBy: 'qa/i/Inbox', name: 'i' };

const gauge = { set() {}, reset() {} };
const resourceOf = ({ kind, namespace, name }: Key, finalizers: string[] = []): Resource => ({
  ...{ apiVersion: 'sandpost.dev/v1alpha1', kind, spec: {} },
  metadata: { namespace, name, uid: 'u', resourceVersion: '1', generation: 1, finalizers },
});

/** Search for orphans among an Account's account and an Inbox's account, which both carry the mark of a retained object. */
function search(read: (key: Key) => Promise<Resource | null>, isChosen = true, state = 'active') {
  const lost: string[] = [];
  let copies: Resource[] = [];
  let now = begin;
  const stored = new Map([account, ofInbox].map((object) => [object.id, object]));
  const marks = new Map<number, Orphan>();
  for (const { owner, id } of stored.values()) marks.set(id, { owner, kind: 'account', id, since: never });
  const kindOf = (name: string): Kind => ({
    ...{ name, plural: `${name}s`, nameOf: ({ metadata }) => metadata.name },
    ...{ domainOf: () => null, dependsOn: () => null, reconcile: async () => null },
    objects: [
      {
        kind: 'account',
        list: async () => [...stored.values()],
        remove: async ({ id }) => {
          stored.delete(id);
        },
        isPolled: false,
      },
    ],
  });
  const ports: unknown = {
    kinds: new Map(['Account', 'Inbox'].map((name) => [name, kindOf(name)])),
    rows: { read: async () => [...marks.values()] },
    managers: {
      async markOrphan(object: Omit<Orphan, 'since'>, since: Date | null) {
        if (since === null) marks.delete(object.id);
        else if (!marks.has(object.id)) marks.set(object.id, { ...object, since });
      },
    },
    clock: () => now,
    api: { read },
    informers: {
      ...{ covers: () => true, get: () => undefined, all: () => [] },
      ...{ chooses: () => isChosen, copies: () => copies },
    },
    onLost: (namespace: string) => lost.push(namespace),
    tenants: { list: async () => [tenant] },
    cluster: () => 'here',
    gracePeriodMs,
    stateOfNamespace: async () => state,
    isLeading: () => true,
    warn: async () => {},
    log: { info() {}, warn() {} },
    metrics: { orphans: gauge, foreignThings: gauge },
  };
  const orphans = createOrphans(ports as Parameters<typeof createOrphans>[0]);
  return {
    lost,
    copy(finalizers: string[]) {
      copies = [resourceOf({ kind: 'Account', namespace: 'qa', name: 'a' }, finalizers)];
    },
    endTerm: () => orphans.reset(),
    empty() {
      stored.clear();
      marks.clear();
    },
    marks: () => [...marks.values()].map(({ id, since }) => [id, since]),
    stored: () => [...stored.keys()],
    async sweep(afterMs: number) {
      now = new Date(begin.getTime() + afterMs);
      await orphans.sweep();
    },
  };
}

test('a mark keeps the account of a lost Account, and that of a lost Inbox until the end of the grace period', async () => {
  const { marks, stored, sweep } = search(async () => null);
  await sweep(0);
  const noted = [
    [7, never],
    [8, begin],
  ];
  assert.deepEqual(marks(), noted);
  await sweep(gracePeriodMs - 1);
  assert.deepEqual([marks(), stored()], [noted, [7, 8]]);
  await sweep(gracePeriodMs);
  assert.deepEqual([marks(), stored()], [[[7, never]], [7]]);
});

test('the account of an Inbox that is there keeps its mark', async () => {
  const { marks, stored, sweep } = search(async (key) => resourceOf(key));
  for (const ms of [0, gracePeriodMs, 2 * gracePeriodMs]) await sweep(ms);
  assert.deepEqual(
    [marks(), stored()],
    [
      [
        [7, never],
        [8, never],
      ],
      [7, 8],
    ],
  );
});

test('an object whose resource may not be read stays, and the search goes on', async () => {
  const others: string[] = [];
  const { stored, sweep } = search(async ({ kind, name }) => {
    others.push(`${kind}/${name}`);
    throw new ApiException(403, 'forbidden', '{}', {});
  });
  for (const ms of [0, gracePeriodMs, 2 * gracePeriodMs]) await sweep(ms);
  assert.deepEqual([stored(), others.length], [[7, 8], 3]);
  const away = search(async () => {
    throw new ApiException(503, 'away', '{}', {});
  });
  await assert.rejects(away.sweep(0), /503/);
});

test('a team without objects is an orphan once its namespace is gone', async () => {
  const { empty, marks, sweep } = search(async () => null, true, 'gone');
  empty();
  await sweep(0);
  assert.deepEqual(marks(), [[1, begin]]);
});

test('each term reports a namespace without the labels once, while its resources have finalizers', async () => {
  const { lost, copy, endTerm, sweep } = search(async () => null, false);
  copy([]);
  await sweep(0);
  assert.deepEqual(lost, []);
  copy([apiGroup.finalizer]);
  // The namespace has been an orphan since the first search: an operator that has ended may have stored that.
  for (const ms of [1, 2]) await sweep(ms);
  assert.deepEqual(lost, ['qa']);
  endTerm();
  for (const ms of [3, 4]) await sweep(ms);
  assert.deepEqual(lost, ['qa', 'qa']);
  copy(['example.com/other']);
  endTerm();
  await sweep(5);
  assert.deepEqual(lost, ['qa', 'qa']);
});
