import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '#core/access/access.ts';
import {
  addresses,
  applied,
  at,
  entries,
  key,
  resource,
  secret,
  view,
} from '#test/support/kubernetes/api-key-views.ts';
import { decideApiKey } from './decide.ts';
import type { ApiKeyResource, ApiKeyView } from './view.ts';

const later = '2026-11-21T12:00:05+02:00';

const deleted = resource({ deletionTimestamp: '2026-11-21T10:00:00Z' });
const foreignSecret = secret({ isOurs: false });

/** State, and the next step or the Ready condition's reason. */
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
    'no Secret, and no room for a key',
    { secret: null, storedKeys: [], keyInSecret: 'malformed', hasRoom: false },
    'Refused',
  ],
  [
    'a Secret with a key that the store does not have',
    { storedKeys: [], keyInSecret: 'unknown' },
    { do: 'store-key', powers: { scope: 'full', expiresAt: null } },
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
    { addresses: { ...addresses, SANDPOST_URL: 'http://b' } },
    { do: 'write-secret', value: 'same' },
  ],
  [
    'a Secret of an earlier release',
    { secret: secret({ data: { ...addresses, SANDPOST_API_KEY: entries.SANDPOST_API_KEY } }) },
    { do: 'write-secret', value: 'same' },
  ],
  [
    'a new Secret whose label an admission policy replaces',
    { secret: secret({ isLabelled: false }) },
    'Stored',
  ],
  [
    'a Secret that was deleted again and again',
    {
      ...{ secret: null, storedKeys: [], keyInSecret: 'malformed', pace: { repairs: 2, pauseMs: 700 } },
      resource: { ...resource(), status: { observedGeneration: 1, tokenId: 3, secretName: 'ci' } },
    },
    { do: 'wait', ms: 700 },
  ],
  [
    'a Secret of an earlier ApiKey of the same name',
    { secret: secret({ isInherited: true }) },
    { do: 'inherit-secret' },
  ],
  [
    'a stored key with another scope',
    { resource: resource({}, { scope: 'send' }) },
    { do: 'change-key', id: 3, set: { scope: 'send' } },
  ],
  [
    'a stored key with another end',
    { resource: resource({}, { expiresAt: later }), storedKeys: [key(3, { expiresAt: at })] },
    { do: 'change-key', id: 3, set: { expiresAt: new Date(later) } },
  ],
  [
    'a stored key with another scope, whose end has come',
    { resource: resource({}, { scope: 'read', expiresAt: at.toISOString() }) },
    { do: 'change-key', id: 3, set: { scope: 'read', expiresAt: at } },
  ],
  ['an end that is no time', { resource: resource({}, { expiresAt: 'soon' }) }, 'Refused'],
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

const end = new Date('2027-06-30T00:00:00Z');
const limited: Partial<ApiKey> = { scope: 'read', expiresAt: end };
const both = ['expiresAt', 'scope'];
const noKey = { secret: null, storedKeys: [], keyInSecret: 'malformed' } as const;
const readyWith = (reason: string) => ({
  observedGeneration: 1,
  conditions: [{ type: 'Ready', status: 'False', reason, message: 'x', lastTransitionTime: 'x' } as const],
});
const keptBoth = 'Stored, kept: scope=read expiresAt=2027-06-30T00:00:00Z';

/** Status and spec of a resource with a key of scope `read` and an expiration, its definition's missing fields, and the outcome. */
const losses: [string, object, Partial<ApiKeyResource['spec']>, string[], object | string, object?][] = [
  ['the definition lacks both', applied(0, both), {}, both, keptBoth],
  ['the definition lacks both, and no operator has seen the resource', {}, {}, both, keptBoth],
  ['both got lost without a new generation', applied(1, both), {}, [], keptBoth],
  ['both got lost before anything was recorded', { observedGeneration: 1 }, {}, [], keptBoth],
  [
    'both got lost, and the end passed since',
    applied(1, both),
    {},
    [],
    keptBoth.replace('Stored', 'Expired'),
    { now: end },
  ],
  ['both got lost, and something else changed since', applied(0, []), {}, [], keptBoth],
  [
    'people have removed the scope',
    applied(0, both),
    { expiresAt: end.toISOString() },
    [],
    { do: 'change-key', id: 3, set: { scope: 'full' } },
  ],
  [
    'people have removed the end',
    applied(0, both),
    { scope: 'read' },
    [],
    { do: 'change-key', id: 3, set: { expiresAt: null } },
  ],
  [
    'people ask for less',
    applied(0, both),
    { scope: 'send' },
    ['expiresAt'],
    { do: 'change-key', id: 3, set: { scope: 'send' } },
  ],
  ['a new key, and the definition lacks the scope', {}, {}, ['scope'], 'DefinitionOutdated', noKey],
  [
    'a new key, and the definition lacks the end',
    {},
    { scope: 'read' },
    ['expiresAt'],
    'DefinitionOutdated',
    noKey,
  ],
  ['a new key whose spec came meanwhile', readyWith('DefinitionOutdated'), {}, [], 'FieldsUnknown', noKey],
  ['a new key whose spec is still that', readyWith('FieldsUnknown'), {}, [], 'FieldsUnknown', noKey],
  [
    'a new key whose spec says it',
    readyWith('FieldsUnknown'),
    { scope: 'read' },
    [],
    { do: 'write-secret', value: 'new' },
    noKey,
  ],
  [
    'the key is gone with its Secret',
    { ...applied(1, []), scope: 'read', expiresAt: end.toISOString() },
    {},
    [],
    { do: 'store-key', powers: limited },
    { storedKeys: [], keyInSecret: 'unknown' },
  ],
];
for (const [name, status, spec, lacking, wanted, words] of losses) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const one = { ...resource(), spec, status };
    const step = decideApiKey(view({ resource: one, storedKeys: [key(3, limited)], lacking, ...words }));
    if (step.do !== 'report') return assert.deepEqual(step, wanted);
    const kept = step.kept?.map(({ field, value }) => ` ${field}=${value}`).join('');
    const { reason } = step.findings.find(({ type }) => type === 'Ready') ?? {};
    assert.equal(kept ? `${reason}, kept:${kept}` : reason, wanted);
  });
}
