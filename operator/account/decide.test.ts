import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Account, defaultFlags, defaultStorageLimit } from '#core/accounts/account.ts';
import { apiGroup } from '../group.ts';
import type { Applied } from '../runtime/resource.ts';
import { type AccountResource, type AccountView, decideAccount } from './decide.ts';

const at = new Date('2026-11-21T10:00:00Z');

function resource(spec: Partial<AccountResource['spec']> = {}, metadata: object = {}): AccountResource {
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind: 'Account',
    metadata: {
      ...{ namespace: 'qa', name: 'robot', uid: 'u', resourceVersion: '1', generation: 1 },
      ...{ finalizers: [apiGroup.finalizer], ...metadata },
    },
    spec: { address: 'robot@app.test', active: true, storageLimit: '1Ki', ...spec },
  };
}

const stored = (words: Partial<Account> = {}): Account => ({
  ...defaultFlags,
  ...{ id: 7, owner: 1, domainId: 2, address: 'robot@app.test', fullAt: null },
  ...{ storageLimit: 1024, usedBytes: 10, managedBy: 'qa/robot', mailboxes: [] },
  ...{ createdAt: at, updatedAt: at, ...words },
});

const view = (words: Partial<AccountView> = {}): AccountView => ({
  resource: resource(),
  owner: 1,
  stored: stored(),
  isAbandoned: false,
  policy: 'Delete',
  hasDomain: true,
  isNew: false,
  lacking: [],
  ...words,
});

const deletion = { deletionTimestamp: '2026-11-21T10:00:00Z' };
const all = { address: '*@app.test' };

/** State, and the next step or the Ready condition's reason. */
const cases: [string, Partial<AccountView>, object | string][] = [
  ['a new resource', { resource: resource({}, { finalizers: [] }), stored: null }, { do: 'add-finalizer' }],
  ['no account', { stored: null }, { do: 'create' }],
  ['no account and no domain', { stored: null, hasDomain: false }, 'DomainMissing'],
  [
    'a new resource without account and domain',
    { stored: null, hasDomain: false, isNew: true },
    'DomainPending',
  ],
  [
    'a spec that is inactive',
    { resource: resource({ active: false }) },
    { do: 'change', id: 7, change: { active: false } },
  ],
  [
    'a larger storage limit',
    { resource: resource({ storageLimit: 2048 }) },
    { do: 'change', id: 7, change: { storageLimit: 2048 } },
  ],
  [
    'a spec that captures',
    { resource: resource({ capture: true }) },
    { do: 'change', id: 7, change: { capture: true } },
  ],
  [
    'a spec that simulates failures',
    { resource: resource({ simulatesFailures: true }) },
    { do: 'change', id: 7, change: { simulatesFailures: true } },
  ],
  [
    'a spec that no longer does',
    { stored: stored({ simulatesFailures: true }) },
    { do: 'change', id: 7, change: { simulatesFailures: false } },
  ],
  [
    'a spec that is a catch-all',
    { resource: resource({ catchAll: true }) },
    { do: 'change', id: 7, change: { catchAll: true } },
  ],
  [
    'a wildcard address, which is a catch-all without saying so',
    { resource: resource(all), stored: stored({ ...all, catchAll: true }) },
    'Active',
  ],
  ['an account like its spec', {}, 'Active'],
  [
    'an inactive account like its spec',
    { resource: resource({ active: false }), stored: stored({ active: false }) },
    'Inactive',
  ],
  ['an account created by the API', { stored: stored({ managedBy: null }) }, 'ManagedByApi'],
  ['an account of another resource', { stored: stored({ managedBy: 'qa/b' }) }, 'Duplicate'],
  [
    'an account whose resource is missing',
    { stored: stored({ managedBy: 'qa/b' }), isAbandoned: true },
    { do: 'adopt', id: 7, from: 'qa/b' },
  ],
  ['a deleted resource', { resource: resource({}, deletion) }, { do: 'delete', id: 7 }],
  [
    'a deleted resource whose domain and account are gone',
    { resource: resource({}, deletion), stored: null, hasDomain: false },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource and an account created by the API',
    { resource: resource({}, deletion), stored: stored({ managedBy: null }) },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource without the finalizer',
    { resource: resource({}, { ...deletion, finalizers: [] }) },
    { do: 'nothing' },
  ],
];
for (const [name, words, wanted] of cases) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const step = decideAccount(view(words));
    const found = step.do === 'report' ? step.findings.find(({ type }) => type === 'Ready')?.reason : step;
    assert.deepEqual(found, wanted);
  });
}

test('an account of an Inbox is named as such', () => {
  const step = decideAccount(view({ stored: stored({ managedBy: 'qa/b/Inbox' }) }));
  assert.match(
    (step.do === 'report' && step.findings[0]?.message) || '',
    /^the Inbox qa\/b\/Inbox already manages robot@app\.test/,
  );
});

/** Used bytes out of 1024, and the Ready message with the condition Full. */
const rooms: [number, string][] = [
  [10, 'robot@app.test receives mail, False HasRoom'],
  [768, 'robot@app.test receives mail, False HasRoom'],
  [769, 'robot@app.test exists but is full, True QuotaReached'],
  [1024, 'robot@app.test exists but is full, True QuotaReached'],
];
for (const [usedBytes, wanted] of rooms) {
  test(`${usedBytes} of 1024 bytes: ${wanted}`, () => {
    const step = decideAccount(view({ stored: stored({ usedBytes }) }));
    assert.ok(step.do === 'report');
    const [isReady, full] = ['Ready', 'Full'].map((type) => step.findings.find((one) => one.type === type));
    assert.equal(`${isReady?.message}, ${full?.status} ${full?.reason}`, wanted);
    assert.equal(isReady?.status, 'True');
  });
}

const { active: _, storageLimit: __, ...bare } = resource().spec;
const seen = (applied?: Applied) => ({ observedGeneration: 1, ...(applied && { applied }) });
const flags = Object.entries(defaultFlags).map(([name, value]) => [name, !value]);
const full = { ...(Object.fromEntries(flags) as typeof defaultFlags), storageLimit: 2048 };
const fields = Object.keys(full);
const kept = Object.entries(full).map(([name, value]) => `${name}=${value}`);

/** Status and spec of a resource, its definition's missing fields, and the change or the values that stay. */
const losses: [string, object, Partial<AccountResource['spec']>, string[], object | string[]][] = [
  ['seen by an earlier operator', seen(), {}, [], kept],
  ['whose fields got lost without a new generation', seen({ generation: 1, fields }), {}, [], kept],
  ['whose definition lacks the fields', seen({ generation: 0, fields }), {}, fields, kept],
  ['that is new, and whose definition lacks the fields', {}, {}, fields, kept],
  [
    'whose people have removed two fields',
    seen({ generation: 0, fields: ['capture', 'storageLimit'] }),
    {},
    [],
    { capture: false, storageLimit: defaultStorageLimit },
  ],
  ['whose people set a value', seen(), { ...full, capture: false }, [], { capture: false }],
  ['whose people changed what the definition has', seen(), { active: true }, ['capture'], { active: true }],
];
for (const [name, status, spec, lacking, wanted] of losses) {
  test(`an account of a resource ${name}: ${JSON.stringify(wanted)}`, () => {
    const one = { ...resource(), spec: { ...bare, ...spec }, status };
    const step = decideAccount(view({ resource: one, stored: stored(full), lacking }));
    if (step.do === 'change') assert.deepEqual(step.change, wanted);
    else {
      assert.ok(step.do === 'report');
      assert.deepEqual(
        step.kept?.map(({ field, value }) => `${field}=${value}`),
        wanted,
      );
    }
  });
}
