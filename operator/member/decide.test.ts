import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberRule } from '#core/access/people.ts';
import type { Grant, Role } from '#core/access/role.ts';
import { highest } from '#core/access/role.ts';
import { invalid } from '#core/errors.ts';
import { apiGroup } from '../group.ts';
import { refused } from '../reconcile.ts';
import { decideMember, type MemberResource, type MemberView } from './decide.ts';

function resource(spec: Partial<MemberResource['spec']> = {}, metadata: object = {}): MemberResource {
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind: 'Member',
    metadata: {
      ...{ namespace: 'qa', name: 'ada', uid: 'u', resourceVersion: '1', generation: 1 },
      ...{ finalizers: [apiGroup.finalizer], ...metadata },
    },
    spec: { email: 'Ada@App.test', role: 'member', ...spec },
  };
}

const rule = (words: Partial<MemberRule> = {}): MemberRule => ({
  ...{ id: 7, source: 'qa/ada', team: 1, email: 'ada@app.test', group: null, role: 'member', members: [5] },
  ...words,
});

const view = (words: Partial<MemberView> = {}): MemberView => ({
  resource: resource(),
  owner: 1,
  rule: rule(),
  member: null,
  unsettled: 0,
  lacking: [],
  ...words,
});

const { email: _, ...group } = { ...resource().spec, group: 'devs' };
const ofGroup = { ...resource(), spec: group };
const groupRule = { email: null, group: 'devs' };
const deletion = { deletionTimestamp: '2026-11-21T10:00:00Z' };
const put = { do: 'put', role: 'member' };
const end = { do: 'end' };

/** State, and the next step or the reason and fields of a ready resource. */
const cases: [string, Partial<MemberView>, object][] = [
  [
    'a new resource',
    { resource: resource({}, { finalizers: [] }), owner: null, rule: null },
    { do: 'add-finalizer' },
  ],
  ['no rule', { rule: null }, put],
  ['no rule, and no team', { owner: null, rule: null }, put],
  ['another role', { rule: rule({ role: 'viewer' }) }, put],
  ['another e-mail, of an earlier namesake', { rule: rule({ email: 'bob@app.test' }) }, put],
  ['a group, of an earlier namesake', { rule: rule(groupRule) }, put],
  ['a rule that was ended, of an earlier namesake', { rule: rule({ role: null }) }, put],
  ['a rule of another team', { rule: rule({ team: 2 }) }, put],
  ['another role and memberships that differ', { rule: rule({ role: 'viewer' }), unsettled: 3 }, put],
  ['memberships that differ', { unsettled: 1 }, { do: 'settle' }],
  ['a user', {}, { reason: 'Joined', fields: { role: 'member', userId: 5, members: 1 } }],
  [
    'nobody with the e-mail',
    { rule: rule({ members: [] }) },
    { reason: 'NotRegistered', fields: { role: 'member', members: 0 } },
  ],
  [
    'a group with two users',
    { resource: ofGroup, rule: rule({ ...groupRule, members: [5, 6] }) },
    { reason: 'GroupAdmitted', fields: { role: 'member', members: 2 } },
  ],
  [
    'a group without users',
    { resource: ofGroup, rule: rule({ ...groupRule, members: [] }) },
    { reason: 'GroupAdmitted', fields: { role: 'member', members: 0 } },
  ],
  ['a deleted resource', { resource: resource({}, deletion) }, end],
  [
    'a deleted resource whose rule has ended',
    { resource: resource({}, deletion), rule: rule({ role: null }) },
    end,
  ],
  [
    'a deleted resource without a rule, but with a membership',
    { resource: resource({}, deletion), rule: null, unsettled: 1 },
    end,
  ],
  [
    'a deleted resource without a rule',
    { resource: resource({}, deletion), rule: null },
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
    const step = decideMember(view(words));
    if (step.do !== 'report') return assert.deepEqual(step, wanted);
    const ready = step.findings.find(({ type }) => type === 'Ready');
    assert.deepEqual({ reason: ready?.reason, fields: step.fields }, wanted);
    assert.equal(ready?.status, 'True');
    assert.equal(step.requeueAfterMs, 60_000);
  });
}

test('a refusal is shown as it is', () => {
  const { findings } = refused(invalid('role', 'there are 1000 members already'));
  assert.deepEqual(
    findings.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      ['Ready', 'False', 'Refused', 'there are 1000 members already'],
      ['Reconciling', 'False', 'Idle', 'the operator has nothing left to do'],
      ['Stalled', 'True', 'Refused', 'there are 1000 members already'],
    ],
  );
});

/** Grants that the user has besides the resource's, and the Ready message. */
const inForce: [Grant[], string][] = [
  [[], 'ada@app.test has the role member'],
  [[{ source: 'qa/other', role: 'viewer' }], 'ada@app.test has the role member'],
  [
    [{ source: 'qa/boss', role: 'owner' }],
    'ada@app.test has the role owner through the Member qa/boss; this Member grants member',
  ],
  [
    [{ source: 'direct', role: 'owner' }],
    'ada@app.test has the role owner through an invitation; this Member grants member',
  ],
];
for (const [others, message] of inForce) {
  test(`${JSON.stringify(others)} besides: ${message}`, () => {
    const grants: Grant[] = [{ source: 'qa/ada', role: 'member' }, ...others];
    const role = highest('viewer', ...grants.map((grant) => grant.role));
    const step = decideMember(view({ member: { role, grants } }));
    assert.ok(step.do === 'report');
    assert.equal(step.findings.find(({ type }) => type === 'Ready')?.message, message);
  });
}

const { role: _role, ...roleless } = resource().spec;
const outdated = [
  {
    ...({ type: 'Ready', status: 'False', reason: 'DefinitionOutdated', message: 'x' } as const),
    lastTransitionTime: 'x',
  },
];

/** Status and stored role of a resource without a role, its definition's missing fields, and what follows. */
const roles: [string, object, Role | null, string[], object | string][] = [
  ['a stored role stays while the definition lacks it', {}, 'viewer', ['role'], 'Joined'],
  ['a stored role stays where the role got lost', { observedGeneration: 1 }, 'viewer', [], 'Joined'],
  ['nobody joins while the definition lacks the role', {}, null, ['role'], 'DefinitionOutdated'],
  [
    'nobody joins by a spec that came meanwhile',
    { observedGeneration: 1, conditions: outdated },
    null,
    [],
    'FieldsUnknown',
  ],
  ['a new resource has the default', {}, null, [], put],
];
for (const [name, status, role, lacking, wanted] of roles) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const known = role === null ? null : rule({ role });
    const step = decideMember(
      view({ resource: { ...resource(), spec: roleless, status }, rule: known, lacking }),
    );
    assert.deepEqual(step.do === 'report' ? step.findings[0]?.reason : step, wanted);
    if (step.do === 'report' && role !== null) assert.equal(step.fields.role, role);
  });
}
