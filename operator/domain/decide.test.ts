import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Domain, Verification } from '#core/domains/domain.ts';
import { unverified, verifiedByHand } from '#core/domains/verdict.ts';
import { invalid, Taken } from '#core/errors.ts';
import { apiGroup } from '../group.ts';
import { type DomainResource, type DomainView, decideDomain, domainRefused } from './decide.ts';

const at = new Date('2026-11-21T10:00:00Z');

function resource(spec: Partial<DomainResource['spec']> = {}, metadata: object = {}): DomainResource {
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind: 'Domain',
    metadata: {
      ...{ namespace: 'qa', name: 'app', uid: 'u', resourceVersion: '1', generation: 1 },
      ...{ finalizers: [apiGroup.finalizer], ...metadata },
    },
    spec: { domain: 'app.test', active: true, ...spec },
  };
}

function stored(words: Partial<Domain> = {}): Domain {
  const times = { createdAt: at, updatedAt: at };
  const base = {
    id: 7,
    owner: 1,
    name: 'app.test',
    active: true,
    managedBy: 'qa/app',
    assumedClientIp: null,
    ...times,
  };
  return { ...base, verification: unverified(at), ...words };
}

const view = (words: Partial<DomainView> = {}): DomainView => ({
  resource: resource(),
  owner: 1,
  stored: stored(),
  isAbandoned: false,
  policy: 'Delete',
  accounts: 0,
  mxHosts: ['mx.test'],
  lacking: [],
  ...words,
});

const deletion = { deletionTimestamp: '2026-11-21T10:00:00Z' };
const otherFinalizer = { finalizers: ['somebody.else/finalizer'] };
const byHand = { verification: verifiedByHand() };

/** State, and the next step. */
const steps: [string, Partial<DomainView>, object][] = [
  ['a new resource', { resource: resource({}, otherFinalizer), stored: null }, { do: 'add-finalizer' }],
  ['no domain', { stored: null }, { do: 'create' }],
  [
    'a domain to be retained',
    { resource: resource({ deletionPolicy: 'Retain' }) },
    { do: 'set-policy', id: 7, policy: 'Retain' },
  ],
  [
    'a retained domain whose people want its deletion',
    { resource: resource({ deletionPolicy: 'Delete' }), policy: 'Retain' },
    { do: 'set-policy', id: 7, policy: 'Delete' },
  ],
  [
    'a retained domain of a new resource',
    { policy: 'Retain' },
    { do: 'set-policy', id: 7, policy: 'Delete' },
  ],
  [
    'a retained domain of another, missing resource',
    {
      resource: resource({ deletionPolicy: 'Retain' }),
      stored: stored({ managedBy: 'qa/old' }),
      isAbandoned: true,
    },
    { do: 'adopt', id: 7, from: 'qa/old' },
  ],
  [
    'a deleted resource whose domain is to be retained',
    { resource: resource({ deletionPolicy: 'Retain' }, deletion) },
    { do: 'set-policy', id: 7, policy: 'Retain' },
  ],
  [
    'a deleted resource with a retained domain',
    { resource: resource({ deletionPolicy: 'Retain' }, deletion), policy: 'Retain' },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource whose policy its definition has removed',
    {
      resource: { ...resource({}, deletion), status: { observedGeneration: 1 } },
      ...{ policy: 'Retain', lacking: ['deletionPolicy'] },
    },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource whose policy got lost',
    {
      resource: {
        ...resource({}, deletion),
        status: { observedGeneration: 1, applied: { generation: 1, fields: ['deletionPolicy', 'domain'] } },
      },
      policy: 'Retain',
    },
    { do: 'remove-finalizer' },
  ],
  [
    'a spec that is inactive',
    { resource: resource({ active: false }) },
    { do: 'change', id: 7, change: { active: false } },
  ],
  [
    'a spec that vouches for the domain',
    { resource: resource({ mxVerified: true }) },
    { do: 'change', id: 7, change: { verified: true } },
  ],
  [
    'a spec that no longer vouches for the domain',
    { stored: stored(byHand) },
    { do: 'change', id: 7, change: { verified: false } },
  ],
  [
    'a spec whose mxVerified is false, which means none',
    { stored: stored(byHand), resource: resource({ mxVerified: false }) },
    { do: 'change', id: 7, change: { verified: false } },
  ],
  [
    'a spec that assumes a client address',
    { resource: resource({ assumedClientIP: '203.0.113.7' }) },
    { do: 'change', id: 7, change: { assumedClientIp: '203.0.113.7' } },
  ],
  [
    'a spec that no longer assumes one',
    { stored: stored({ assumedClientIp: '203.0.113.7' }) },
    { do: 'change', id: 7, change: { assumedClientIp: null } },
  ],
  [
    'a domain whose resource is missing',
    { stored: stored({ managedBy: 'qa/b' }), isAbandoned: true },
    { do: 'adopt', id: 7, from: 'qa/b' },
  ],
  [
    'a deleted resource and a domain whose resource is missing',
    { resource: resource({}, deletion), stored: stored({ managedBy: 'qa/b' }), isAbandoned: true },
    { do: 'remove-finalizer' },
  ],
  ['a deleted resource', { resource: resource({}, deletion) }, { do: 'delete', id: 7 }],
  [
    'a deleted resource whose domain is gone',
    { resource: resource({}, deletion), stored: null },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource and a domain of another resource',
    { resource: resource({}, deletion), stored: stored({ managedBy: 'qa/other' }) },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource and a domain created by the API',
    { resource: resource({}, deletion), stored: stored({ managedBy: null }) },
    { do: 'remove-finalizer' },
  ],
  [
    'a deleted resource with finalizers of others only',
    { resource: resource({}, { ...deletion, ...otherFinalizer }) },
    { do: 'nothing' },
  ],
];
for (const [name, words, step] of steps) {
  test(`${name}: ${JSON.stringify(step)}`, () => assert.deepEqual(decideDomain(view(words)), step));
}

const checked = (words: Partial<Verification>) => ({
  stored: stored({ verification: { ...unverified(at), checkedAt: at, ...words } }),
});

/** State, and the conditions Ready, Stalled and Verified. */
const reports: [string, Partial<DomainView>, string[]][] = [
  ['a domain before its first check', {}, ['Ready True Active', 'Stalled False', 'Verified Unknown Pending']],
  [
    'a DNS failure',
    checked({ detail: 'SERVFAIL' }),
    ['Ready True Active', 'Stalled False', 'Verified Unknown Pending'],
  ],
  [
    'one check without an MX record',
    checked({ refusals: 1, detail: 'no MX record' }),
    ['Ready True Active', 'Stalled False', 'Verified False MxMissing'],
  ],
  [
    'three checks without an MX record',
    checked({ status: 'failed', refusals: 3 }),
    ['Ready True Active', 'Stalled False', 'Verified False MxMissing'],
  ],
  [
    'an MX record',
    checked({ status: 'verified', source: 'mx', detail: 'MX points at mx.test' }),
    ['Ready True Active', 'Stalled False', 'Verified True MxFound'],
  ],
  [
    'a DNS failure after an MX record',
    checked({ status: 'verified', source: 'mx', detail: 'SERVFAIL' }),
    ['Ready True Active', 'Stalled False', 'Verified True MxFound'],
  ],
  [
    'a domain that is vouched for',
    { stored: stored(byHand), resource: resource({ mxVerified: true }) },
    ['Ready True Active', 'Stalled False', 'Verified True VouchedFor'],
  ],
  [
    'an inactive domain',
    { stored: stored({ active: false }), resource: resource({ active: false }) },
    ['Ready True Inactive', 'Stalled False', 'Verified Unknown Pending'],
  ],
  [
    'a domain created by the API',
    { stored: stored({ managedBy: null }) },
    ['Ready False ManagedByApi', 'Stalled True'],
  ],
  [
    'a domain of another resource',
    { stored: stored({ managedBy: 'qa/b' }) },
    ['Ready False Duplicate', 'Stalled True'],
  ],
];
for (const [name, words, conditions] of reports) {
  test(`${name}: ${conditions}`, () => {
    const step = decideDomain(view(words));
    assert.ok(step.do === 'report');
    const found = step.findings
      .filter(({ type }) => type !== 'Reconciling')
      .map(({ type, status, reason }) =>
        type === 'Stalled' ? `${type} ${status}` : `${type} ${status} ${reason}`,
      );
    assert.deepEqual(found, conditions);
  });
}

for (const [name, refusal, reason, message] of [
  ['a taken name', new Taken([{ field: 'domain', message: 'no' }]), 'NameTaken', /another namespace/],
  ['a malformed name', invalid('domain', 'must be a name'), 'Refused', /^app\.test: must be a name$/],
  [
    'a name of which the core tells',
    invalid('domain', "app.test is a parent or subdomain of another team's domain"),
    'Refused',
    /^app\.test is a parent/,
  ],
] as const) {
  test(`${name} is reported as ${reason}`, () => {
    const { findings } = domainRefused(view({ stored: null }), refusal);
    const ready = findings.find(({ type }) => type === 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['False', reason]);
    assert.match(ready?.message ?? '', message);
  });
}

const lost = ['assumedClientIP', 'mxVerified'];
const applied = (generation: number) => ({ observedGeneration: 1, applied: { generation, fields: lost } });

/** Status of a resource that specifies neither, its definition's missing fields, and the change or the fields that stay. */
const losses: [string, object, string[], object | string[]][] = [
  ['seen by an earlier operator', { observedGeneration: 1 }, [], ['mxVerified', 'assumedClientIP']],
  ['whose fields got lost without a new generation', applied(1), [], ['mxVerified', 'assumedClientIP']],
  ['whose definition lacks the fields', applied(0), lost, ['mxVerified', 'assumedClientIP']],
  ['whose people have removed both', applied(0), [], { verified: false, assumedClientIp: null }],
  ['that is new', {}, [], { verified: false, assumedClientIp: null }],
];
for (const [name, status, lacking, wanted] of losses) {
  test(`a domain of a resource ${name}: ${JSON.stringify(wanted)}`, () => {
    const known = stored({ ...byHand, assumedClientIp: '203.0.113.7' });
    const step = decideDomain(view({ resource: { ...resource(), status }, stored: known, lacking }));
    if (step.do === 'change') assert.deepEqual(step.change, wanted);
    else {
      assert.ok(step.do === 'report');
      assert.deepEqual(
        step.kept?.map(({ field }) => field),
        wanted,
      );
    }
  });
}
