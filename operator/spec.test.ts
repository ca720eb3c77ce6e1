import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from './runtime/resource.ts';
import { appliedOf, completeness, wantedOf, withoutDefaults } from './spec.ts';

const resource = (spec: object, status?: Resource['status']): Resource => ({
  apiVersion: 'sandpost.dev/v1alpha1',
  kind: 'Widget',
  metadata: { namespace: 'qa', name: 'w', uid: 'u', resourceVersion: '1', generation: 4 },
  spec,
  ...(status && { status }),
});

const applied = (generation: number, fields: string[]) => ({
  observedGeneration: 4,
  applied: { generation, fields },
});

/** Spec value, status, missing fields, stored value, and the resulting value. The default is 1. */
const cases: [string, number | undefined, Resource['status'], string[], number | null, number][] = [
  ['a value of the spec', 3, undefined, [], 2, 3],
  ['a value of the spec that is the default', 1, applied(4, []), [], 2, 1],
  ['nothing stored', undefined, applied(4, ['size']), [], null, 1],
  ['nothing stored, and a definition without the field', undefined, undefined, ['size'], null, 1],
  ['a new resource', undefined, undefined, [], 2, 1],
  ['a new resource whose status has its default', undefined, { observedGeneration: -1 }, [], 2, 1],
  ['a new resource and a definition without the field', undefined, undefined, ['size'], 2, 2],
  ['a field that people removed', undefined, applied(3, ['size']), [], 2, 1],
  ['a field that is gone without a new generation', undefined, applied(4, ['size']), [], 2, 2],
  ['a field that was not there before', undefined, applied(3, []), [], 2, 2],
  ['a resource without a record', undefined, { observedGeneration: 4 }, [], 2, 2],
  ['a definition without the field', undefined, applied(3, ['size']), ['size'], 2, 2],
];
for (const [name, size, status, lacking, stored, wanted] of cases) {
  test(`${name}: ${wanted}`, () => {
    const given = { resource: resource({}, status), lacking };
    const found = wantedOf(given, { size }, { size: 1 }, stored === null ? null : { size: stored });
    assert.equal(found.wanted.size, wanted);
    assert.deepEqual(found.kept, wanted === 2 ? [{ field: 'size', value: '2' }] : []);
  });
}

test('a default that the API server fills in counts as left out, and is not recorded', () => {
  const said = withoutDefaults(resource({ scope: 'full', name: 'x' }), { scope: 'full' });
  assert.deepEqual(said.spec, { name: 'x' });
  assert.deepEqual(appliedOf(said), { generation: 4, fields: ['name'] });
  assert.deepEqual(withoutDefaults(resource({ scope: 'read' }), { scope: 'full' }).spec, { scope: 'read' });
});

test('the condition Complete names what is missing', () => {
  const kept = [
    { field: 'scope', value: 'read' },
    { field: 'expiresAt', value: '2027-06-30T00:00:00Z' },
  ];
  const sayings = [completeness('widgets', ['scope'], kept), completeness('widgets', [], kept)].map(
    ([finding]) => `${finding?.status} ${finding?.reason} ${finding?.event}: ${finding?.message}`,
  );
  assert.match(
    sayings[0] ?? '',
    /^False DefinitionOutdated Warning: the definition \(CRD\) widgets\.sandpost\.dev .* lacks spec\.scope: /,
  );
  assert.match(
    sayings[1] ?? '',
    /^False FieldsKept Warning: Sandpost keeps stored values .*: spec\.scope \(read\) and spec\.expiresAt \(2027-06-30T00:00:00Z\)\./,
  );
  assert.deepEqual(completeness('widgets', [], []), []);
});
