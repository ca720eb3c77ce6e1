import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Domain, Verification } from '#core/domains/domain.ts';
import { unverified, verifiedByHand } from '#core/domains/verdict.ts';
import { invalid, Taken } from '#core/errors.ts';
import { type DomainView, decideDomain, domainRefused } from './decide-domain.ts';
import { type DomainResource, finalizer } from './resources.ts';

const at = new Date('2026-11-21T10:00:00Z');

function resource(spec: Partial<DomainResource['spec']> = {}, metadata: object = {}): DomainResource {
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind: 'Domain',
    metadata: {
      ...{ namespace: 'qa', name: 'app', uid: 'u', resourceVersion: '1', generation: 1 },
      ...{ finalizers: [finalizer], ...metadata },
    },
    spec: { domain: 'app.test', active: true, ...spec },
  };
}

function stored(words: Partial<Domain> = {}): Domain {
  const times = { createdAt: at, updatedAt: at };
  const base = { id: 7, owner: 1, name: 'app.test', active: true, managedBy: 'qa/app', ...times };
  return { ...base, verification: unverified(at), ...words };
}

const view = (words: Partial<DomainView> = {}): DomainView => ({
  resource: resource(),
  stored: stored(),
  accounts: 0,
  mxHosts: ['mx.test'],
  ...words,
});

const gone = { deletionTimestamp: '2026-11-21T10:00:00Z' };
const free = { finalizers: ['somebody.else/finalizer'] };
const byHand = { verification: verifiedByHand() };

/** What is there, and the one next step. */
const steps: [string, Partial<DomainView>, object][] = [
  ['it is new: held before anything else', { resource: resource({}, free), stored: null }, { do: 'hold' }],
  ['held, nothing there', { stored: null }, { do: 'create' }],
  [
    'switched off',
    { resource: resource({ active: false }) },
    { do: 'change', id: 7, change: { active: false } },
  ],
  [
    'vouched for',
    { resource: resource({ mxVerified: true }) },
    { do: 'change', id: 7, change: { verified: true } },
  ],
  ['vouched for no more', { stored: stored(byHand) }, { do: 'change', id: 7, change: { verified: false } }],
  [
    'mxVerified false is as none',
    { stored: stored(byHand), resource: resource({ mxVerified: false }) },
    { do: 'change', id: 7, change: { verified: false } },
  ],
  ['deleted', { resource: resource({}, gone) }, { do: 'delete', id: 7 }],
  ['deleted, and the store has let go', { resource: resource({}, gone), stored: null }, { do: 'release' }],
  [
    'deleted, and the name is another resource’s',
    { resource: resource({}, gone), stored: stored({ managedBy: 'qa/other' }) },
    { do: 'release' },
  ],
  [
    'deleted, and the name is the API’s',
    { resource: resource({}, gone), stored: stored({ managedBy: null }) },
    { do: 'release' },
  ],
  ['deleted, held by others only', { resource: resource({}, { ...gone, ...free }) }, { do: 'nothing' }],
];
for (const [name, words, step] of steps) {
  test(`${name}: ${JSON.stringify(step)}`, () => assert.deepEqual(decideDomain(view(words)), step));
}

const checked = (words: Partial<Verification>) => ({
  stored: stored({ verification: { ...unverified(at), checkedAt: at, ...words } }),
});

/** What is there, and what Ready, Stalled and Verified say. */
const reports: [string, Partial<DomainView>, string[]][] = [
  ['not asked yet', {}, ['Ready True Active', 'Stalled False', 'Verified Unknown Pending']],
  [
    'the DNS fails',
    checked({ detail: 'SERVFAIL' }),
    ['Ready True Active', 'Stalled False', 'Verified Unknown Pending'],
  ],
  [
    'one no',
    checked({ refusals: 1, detail: 'no MX record' }),
    ['Ready True Active', 'Stalled False', 'Verified False MxMissing'],
  ],
  [
    'three noes',
    checked({ status: 'failed', refusals: 3 }),
    ['Ready True Active', 'Stalled False', 'Verified False MxMissing'],
  ],
  [
    'an MX',
    checked({ status: 'verified', source: 'mx', detail: 'MX points at mx.test' }),
    ['Ready True Active', 'Stalled False', 'Verified True MxFound'],
  ],
  [
    'an MX, and a DNS that fails since',
    checked({ status: 'verified', source: 'mx', detail: 'SERVFAIL' }),
    ['Ready True Active', 'Stalled False', 'Verified True MxFound'],
  ],
  [
    'vouched for',
    { stored: stored(byHand), resource: resource({ mxVerified: true }) },
    ['Ready True Active', 'Stalled False', 'Verified True VouchedFor'],
  ],
  [
    'off',
    { stored: stored({ active: false }), resource: resource({ active: false }) },
    ['Ready True Inactive', 'Stalled False', 'Verified Unknown Pending'],
  ],
  ['made by the API', { stored: stored({ managedBy: null }) }, ['Ready False ManagedByApi', 'Stalled True']],
  ['another resource', { stored: stored({ managedBy: 'qa/b' }) }, ['Ready False Duplicate', 'Stalled True']],
];
for (const [name, words, said] of reports) {
  test(`${name}: ${said}`, () => {
    const step = decideDomain(view(words));
    assert.ok(step.do === 'report');
    const told = step.findings
      .filter(({ type }) => type !== 'Reconciling')
      .map(({ type, status, reason }) =>
        type === 'Stalled' ? `${type} ${status}` : `${type} ${status} ${reason}`,
      );
    assert.deepEqual(told, said);
  });
}

for (const [name, refusal, reason, message] of [
  [
    'a name that anybody has',
    new Taken([{ field: 'domain', message: 'no' }]),
    'NameTaken',
    /another namespace/,
  ],
  ['a name that is none', invalid('domain', 'must be a name'), 'Refused', /^app\.test: must be a name$/],
] as const) {
  test(`${name} is told as ${reason}`, () => {
    const { findings } = domainRefused(view({ stored: null }), refusal);
    const ready = findings.find(({ type }) => type === 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['False', reason]);
    assert.match(ready?.message ?? '', message);
  });
}
