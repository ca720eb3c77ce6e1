import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '#core/access/access.ts';
import { type ApiKeyView, decideApiKey } from './decide-api-key.ts';
import { type ApiKeyResource, finalizer } from './resources.ts';
import type { SecretView } from './secrets.ts';

const at = new Date('2026-11-21T10:00:00Z');

const resource = (metadata: object = {}): ApiKeyResource => ({
  apiVersion: 'sandpost.dev/v1alpha1',
  kind: 'ApiKey',
  metadata: {
    ...{ namespace: 'qa', name: 'ci', uid: 'u', resourceVersion: '1', generation: 1 },
    ...{ finalizers: [finalizer], ...metadata },
  },
  spec: {},
});

const key = (id: number): ApiKey => ({
  ...{ id, name: 'ci', prefix: 'sp_', managedBy: 'qa/ci', createdAt: at, lastUsedAt: null },
});
const secret = (words: Partial<SecretView> = {}): SecretView => ({
  ...{
    isOurs: true,
    isInherited: false,
    data: { SANDPOST_URL: 'http://a' },
    revision: '1',
    uid: 's',
    ...words,
  },
});
const view = (words: Partial<ApiKeyView> = {}): ApiKeyView => ({
  resource: resource(),
  secret: secret(),
  kept: [key(3)],
  ofSecret: { id: 3 },
  addresses: { SANDPOST_URL: 'http://a' },
  ...words,
});

const gone = resource({ deletionTimestamp: '2026-11-21T10:00:00Z' });
const theirs = secret({ isOurs: false });

/** What is there, and the one next step, or the reason that Ready has. */
const cases: [string, Partial<ApiKeyView>, object | string][] = [
  ['new', { resource: resource({ finalizers: [] }), secret: null, kept: [] }, { do: 'hold' }],
  ['nothing there', { secret: null, kept: [], ofSecret: 'malformed' }, { do: 'write-secret', value: 'new' }],
  ['a Secret that the store knows not', { kept: [], ofSecret: 'none' }, { do: 'keep' }],
  ['all is there', {}, 'Stored'],
  ['the Secret is gone', { secret: null, ofSecret: 'malformed' }, { do: 'revoke', id: 3 }],
  ['the Secret is spoilt', { ofSecret: 'malformed' }, { do: 'revoke', id: 3 }],
  ['spoilt, the old key revoked', { ofSecret: 'malformed', kept: [] }, { do: 'write-secret', value: 'new' }],
  ['it holds a key of others', { ofSecret: 'foreign', kept: [] }, { do: 'write-secret', value: 'new' }],
  ['two keys: the one of no Secret goes', { kept: [key(3), key(4)] }, { do: 'revoke', id: 4 }],
  [
    'addresses have changed',
    { addresses: { SANDPOST_URL: 'http://b' } },
    { do: 'write-secret', value: 'same' },
  ],
  [
    'it is an earlier namesake’s',
    { secret: secret({ isInherited: true }) },
    { do: 'write-secret', value: 'same' },
  ],
  ['the Secret is somebody else’s', { secret: theirs, kept: [] }, 'SecretExists'],
  ['it became somebody else’s', { secret: theirs }, { do: 'revoke', id: 3 }],
  ['deleted', { resource: gone }, { do: 'revoke', id: 3 }],
  ['deleted, revoked', { resource: gone, kept: [], ofSecret: 'none' }, { do: 'remove-secret' }],
  ['deleted, all gone', { resource: gone, kept: [], secret: null, ofSecret: 'malformed' }, { do: 'release' }],
  ['deleted, Secret of others', { resource: gone, kept: [], secret: theirs }, { do: 'release' }],
];
for (const [name, words, wanted] of cases) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const step = decideApiKey(view(words));
    const found = step.do === 'report' ? step.findings.find(({ type }) => type === 'Ready')?.reason : step;
    assert.deepEqual(found, wanted);
  });
}
