import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '#core/accounts/account.ts';
import { type AccountView, decideAccount } from './decide-account.ts';
import { type AccountResource, finalizer } from './resources.ts';

const at = new Date('2026-11-21T10:00:00Z');

function resource(spec: Partial<AccountResource['spec']> = {}, metadata: object = {}): AccountResource {
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind: 'Account',
    metadata: {
      ...{ namespace: 'qa', name: 'robot', uid: 'u', resourceVersion: '1', generation: 1 },
      ...{ finalizers: [finalizer], ...metadata },
    },
    spec: { address: 'robot@app.test', active: true, storageLimit: '1Ki', ...spec },
  };
}

const stored = (words: Partial<Account> = {}): Account => ({
  ...{ id: 7, owner: 1, domainId: 2, address: 'robot@app.test', active: true, catchAll: false },
  ...{ storageLimit: 1024, usedBytes: 10, managedBy: 'qa/robot', mailboxes: [] },
  ...{ createdAt: at, updatedAt: at, ...words },
});

const view = (words: Partial<AccountView> = {}): AccountView => ({
  resource: resource(),
  stored: stored(),
  hasDomain: true,
  storageLimit: 1024,
  ...words,
});

const gone = { deletionTimestamp: '2026-11-21T10:00:00Z' };
const all = { address: '*@app.test' };

/** What is there, and the one next step, or the reason that Ready has. */
const cases: [string, Partial<AccountView>, object | string][] = [
  ['new', { resource: resource({}, { finalizers: [] }), stored: null }, { do: 'hold' }],
  ['held, nothing there', { stored: null }, { do: 'create' }],
  ['no domain', { stored: null, hasDomain: false }, 'DomainMissing'],
  ['off', { resource: resource({ active: false }) }, { do: 'change', id: 7, change: { active: false } }],
  ['more room', { storageLimit: 2048 }, { do: 'change', id: 7, change: { storageLimit: 2048 } }],
  [
    'catch-all',
    { resource: resource({ catchAll: true }) },
    { do: 'change', id: 7, change: { catchAll: true } },
  ],
  [
    'a wildcard is one by its name',
    { resource: resource(all), stored: stored({ ...all, catchAll: true }) },
    'Active',
  ],
  ['as wanted', {}, 'Active'],
  [
    'as wanted, and off',
    { resource: resource({ active: false }), stored: stored({ active: false }) },
    'Inactive',
  ],
  ['made by the API', { stored: stored({ managedBy: null }) }, 'ManagedByApi'],
  ['another resource', { stored: stored({ managedBy: 'qa/b' }) }, 'Duplicate'],
  ['deleted', { resource: resource({}, gone) }, { do: 'delete', id: 7 }],
  [
    'deleted, with its domain',
    { resource: resource({}, gone), stored: null, hasDomain: false },
    { do: 'release' },
  ],
  [
    'deleted, of the API',
    { resource: resource({}, gone), stored: stored({ managedBy: null }) },
    { do: 'release' },
  ],
  ['deleted, not held', { resource: resource({}, { ...gone, finalizers: [] }) }, { do: 'nothing' }],
];
for (const [name, words, wanted] of cases) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const step = decideAccount(view(words));
    const found = step.do === 'report' ? step.findings.find(({ type }) => type === 'Ready')?.reason : step;
    assert.deepEqual(found, wanted);
  });
}
