import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { apiGroup } from './group.ts';
import {
  type CommonStep,
  finalizerStep,
  type ReconcilePorts,
  type Reconciler,
  type Report,
  reconcile,
  type View,
} from './reconcile.ts';
import { ready, stalled } from './runtime/conditions.ts';
import { NotLeading } from './runtime/failures.ts';
import type { Resource } from './runtime/resource.ts';

type Effect = { do: 'create'; id?: number };
type Step = CommonStep<Resource> | Effect;

const widget = (metadata: object = {}): Resource => ({
  apiVersion: 'sandpost.dev/v1alpha1',
  kind: 'Widget',
  metadata: { namespace: 'qa', name: 'w', uid: 'u', resourceVersion: '1', generation: 1, ...metadata },
  spec: {},
});
const settled: Report<Resource> = {
  do: 'report',
  fields: {},
  findings: ready('Done', 'done'),
  requeueAfterMs: 7,
};

/** Reconciles a resource whose namespace has `owner`, by a list of steps, and records the calls. */
async function run(
  owner: Id | null,
  steps: Step[],
  words: { isLeading?: boolean; refusal?: Error; lacking?: string[]; statusLacking?: string[] } = {},
) {
  const calls: string[] = [];
  const left = [...steps];
  let user = owner;
  const ports: ReconcilePorts = {
    api: {
      async read() {
        calls.push('read');
        return widget();
      },
      async addFinalizer(resource) {
        left.shift();
        calls.push('add finalizer');
        return resource;
      },
      async remove() {
        calls.push('remove');
      },
      async removeFinalizer(resource) {
        calls.push('remove finalizer');
        return resource;
      },
      async applyStatus(resource, { conditions = [], observedGeneration: _, ...fields }) {
        if (words.statusLacking) calls.push(`fields ${Object.keys(fields)}`);
        calls.push(...conditions.map(({ reason }) => `status ${reason}`).slice(0, 1));
        const complete = conditions.find(({ type }) => type === 'Complete');
        if (complete) calls.push(complete.reason);
        return resource;
      },
    },
    definitions: {
      read: async () => ({
        lacking: words.lacking ?? [],
        statusLacking: words.statusLacking ?? [],
        defaults: {},
      }),
    },
    tenants: {
      find: async () => user,
      async ensure() {
        calls.push('ensure user');
        user = 5;
        return 5;
      },
    },
    events: { record: async () => {}, warn: async () => {} },
    clock: () => new Date(0),
    onWritten: () => {},
    onEffect: (_resource, effect) => calls.push(`effect ${effect}`),
    onReleased: () => calls.push('released'),
    limitReached: () => {},
    isLeading: () => words.isLeading ?? true,
  };
  const reconciler: Reconciler<Resource, View<Resource>, Effect> = {
    identity: ['name'],
    gather: async (known) => known,
    decide: () => left[0] ?? settled,
    async act(_effect, view) {
      left.shift();
      calls.push(`act for ${view.owner}`);
      if (words.refusal) throw words.refusal;
    },
    refused: () => ({ ...settled, findings: stalled('Refused', 'no') }),
  };
  const result = await reconcile(ports, 'widgets', reconciler, widget()).catch((error: Error) => error.name);
  return { calls, result };
}

const create: Effect = { do: 'create' };
const done = 'status Done';

/** Owner, steps, and the resulting calls and result. */
const cases: [string, Id | null, Step[], string[], unknown][] = [
  [
    'an effect for a known user does not ensure it',
    3,
    [create],
    ['read', 'act for 3', 'effect create', done],
    7,
  ],
  [
    'a first effect ensures the user, a second one finds it',
    null,
    [create, create],
    ['read', 'ensure user', 'act for 5', 'effect create', 'act for 5', 'effect create', done],
    7,
  ],
  ['a report needs no user', null, [], [done], 7],
  [
    'the team comes before the finalizer',
    null,
    [{ do: 'add-finalizer' }],
    ['ensure user', 'add finalizer', done],
    7,
  ],
  ['steps go on after the finalizer', 3, [{ do: 'add-finalizer' }], ['add finalizer', done], 7],
  [
    'steps end with the finalizer',
    null,
    [{ do: 'remove-finalizer' }],
    ['remove finalizer', 'released'],
    null,
  ],
  ['a resource may need nothing', 3, [{ do: 'nothing' }], [], null],
];
for (const [name, owner, steps, calls, result] of cases) {
  test(name, async () => assert.deepEqual(await run(owner, steps), { calls, result }));
}

test('a refusal of the core is reported', async () => {
  const { calls } = await run(3, [create], { refusal: invalid('name', 'is taken') });
  assert.deepEqual(calls, ['read', 'act for 3', 'status Refused']);
});

test('a process that no longer leads has no effect', async () => {
  const { calls, result } = await run(3, [create], { isLeading: false });
  assert.deepEqual([calls, result], [[], new NotLeading().name]);
});

test('a report that depends on missing fields is made of a fresh copy', async () => {
  const kept = [{ field: 'name', value: 'x' }];
  const { calls } = await run(3, [{ ...settled, kept }, settled]);
  assert.deepEqual(calls, ['read', 'status Done', 'FieldsKept']);
});

test('a resource whose definition lacks a field is told so, and without its name nothing is done', async () => {
  assert.deepEqual((await run(3, [create], { lacking: ['size'] })).calls, [
    ...['read', 'act for 3', 'effect create', 'status Done', 'DefinitionOutdated'],
  ]);
  assert.deepEqual((await run(3, [create], { lacking: ['name'] })).calls, [
    ...['status DefinitionOutdated', 'DefinitionOutdated'],
  ]);
});

test('a field that the status of the definition lacks is not written', async () => {
  const report = { ...settled, isApplied: true, fields: { size: 1, color: 'red' } };
  const written = async (statusLacking: string[]) => (await run(3, [report], { statusLacking })).calls[0];
  assert.equal(await written([]), 'fields size,color,applied');
  assert.equal(await written(['applied', 'size']), 'fields color');
});

test('a loop of steps fails, at once where they are the same', async () => {
  const same = await run(3, Array<Step>(100).fill(create));
  assert.deepEqual([same.calls.length, same.result], [1 + 3 * 2, 'Error']);
  const different = await run(
    3,
    Array.from({ length: 100 }, (_, id): Step => ({ do: 'create', id })),
  );
  assert.deepEqual([different.calls.length, different.result], [1 + 20 * 2, 'Error']);
});

/** Metadata, and the first step. */
const first: [string, object, object | null][] = [
  ['a new resource', {}, { do: 'add-finalizer' }],
  ['a resource with the finalizer', { finalizers: [apiGroup.finalizer] }, null],
  [
    'a deleted resource with the finalizer',
    { deletionTimestamp: 'x', finalizers: [apiGroup.finalizer] },
    null,
  ],
  ['a deleted resource without it', { deletionTimestamp: 'x', finalizers: ['other'] }, { do: 'nothing' }],
];
for (const [name, metadata, step] of first) {
  test(`${name}: ${JSON.stringify(step)}`, () => assert.deepEqual(finalizerStep(widget(metadata)), step));
}
