import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '#core/access/access.ts';
import { apiGroup } from '../group.ts';
import { type ApiKeyResource, type ApiKeyView, decideApiKey } from './decide.ts';
import type { SecretView } from './secrets.ts';

const at = new Date('2026-11-21T10:00:00Z');
const later = '2026-11-21T12:00:05+02:00';

const resource = (metadata: object = {}, spec: Partial<ApiKeyResource['spec']> = {}): ApiKeyResource => ({
  apiVersion: 'sandpost.dev/v1alpha1',
  kind: 'ApiKey',
  metadata: {
    ...{ namespace: 'qa', name: 'ci', uid: 'u', resourceVersion: '1', generation: 1 },
    ...{ finalizers: [apiGroup.finalizer], ...metadata },
  },
  spec: { scope: 'full', ...spec },
});

const key = (id: number, words: Partial<ApiKey> = {}): ApiKey => ({
  ...{ id, owner: 1, name: 'ci', prefix: 'sp_', managedBy: 'qa/ci', createdAt: at, lastUsedAt: null },
  ...{ scope: 'full', expiresAt: null, createdBy: null, ...words },
});
const secret = (words: Partial<SecretView> = {}): SecretView => ({
  ...{
    isOurs: true,
    isInherited: false,
    data: { SANDPOST_URL: 'http://a' },
    references: [],
    revision: '1',
    uid: 's',
    ...words,
  },
});
const view = (words: Partial<ApiKeyView> = {}): ApiKeyView => ({
  resource: resource(),
  owner: 1,
  secret: secret(),
  storedKeys: [key(3)],
  keyInSecret: { id: 3 },
  addresses: { SANDPOST_URL: 'http://a' },
  now: at,
  ...words,
});

const deleted = resource({ deletionTimestamp: '2026-11-21T10:00:00Z' });
const foreignSecret = secret({ isOurs: false });

/** State, and the next step or the reason of the condition Ready. */
const cases: [string, Partial<ApiKeyView>, object | string][] = [
  [
    'a new resource',
    { resource: resource({ finalizers: [] }), secret: null, storedKeys: [] },
    { do: 'add-finalizer' },
  ],
  [
    'no Secret and no key',
    { secret: null, storedKeys: [], keyInSecret: 'malformed' },
    { do: 'write-secret', value: 'new' },
  ],
  [
    'a Secret with a key that the store does not have',
    { storedKeys: [], keyInSecret: 'unknown' },
    { do: 'store-key' },
  ],
  ['a Secret with the stored key', {}, 'Stored'],
  ['a stored key without a Secret', { secret: null, keyInSecret: 'malformed' }, { do: 'revoke-key', id: 3 }],
  [
    'a stored key and a Secret with a malformed one',
    { keyInSecret: 'malformed' },
    { do: 'revoke-key', id: 3 },
  ],
  [
    'a Secret with a malformed key',
    { keyInSecret: 'malformed', storedKeys: [] },
    { do: 'write-secret', value: 'new' },
  ],
  [
    'a Secret with the key of another resource',
    { keyInSecret: 'foreign', storedKeys: [] },
    { do: 'write-secret', value: 'new' },
  ],
  [
    'two stored keys, one of them in no Secret',
    { storedKeys: [key(3), key(4)] },
    { do: 'revoke-key', id: 4 },
  ],
  [
    'a Secret with other addresses',
    { addresses: { SANDPOST_URL: 'http://b' } },
    { do: 'write-secret', value: 'same' },
  ],
  [
    'a Secret of an earlier ApiKey of the same name',
    { secret: secret({ isInherited: true }) },
    { do: 'inherit-secret' },
  ],
  [
    'a stored key with another scope',
    { resource: resource({}, { scope: 'send' }) },
    { do: 'revoke-key', id: 3 },
  ],
  [
    'a stored key with another end',
    { resource: resource({}, { expiresAt: later }), storedKeys: [key(3, { expiresAt: at })] },
    { do: 'revoke-key', id: 3 },
  ],
  [
    'a stored key with the wanted end',
    { resource: resource({}, { expiresAt: later }), storedKeys: [key(3, { expiresAt: new Date(later) })] },
    'Stored',
  ],
  [
    'a stored key whose end has come',
    {
      resource: resource({}, { expiresAt: at.toISOString() }),
      storedKeys: [key(3, { expiresAt: at })],
    },
    'Expired',
  ],
  [
    'a new resource whose end has come',
    {
      resource: resource({}, { expiresAt: at.toISOString() }),
      ...{ secret: null, storedKeys: [], keyInSecret: 'malformed' },
    },
    'Expired',
  ],
  ['a Secret of another owner', { secret: foreignSecret, storedKeys: [] }, 'SecretExists'],
  [
    'a stored key, and a Secret that now has another owner',
    { secret: foreignSecret },
    { do: 'revoke-key', id: 3 },
  ],
  ['a deleted resource with a stored key', { resource: deleted }, { do: 'revoke-key', id: 3 }],
  [
    'a deleted resource with a Secret',
    { resource: deleted, storedKeys: [], keyInSecret: 'unknown' },
    { do: 'remove-secret' },
  ],
  [
    'a deleted resource without Secret and key',
    { resource: deleted, storedKeys: [], secret: null, keyInSecret: 'malformed' },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource and a Secret of another owner',
    { resource: deleted, storedKeys: [], secret: foreignSecret },
    { do: 'remove-finalizer' },
  ],
];
for (const [name, words, wanted] of cases) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const step = decideApiKey(view(words));
    const found = step.do === 'report' ? step.findings.find(({ type }) => type === 'Ready')?.reason : step;
    assert.deepEqual(found, wanted);
  });
}
