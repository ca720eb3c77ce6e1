import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { type Definition, fieldsOf, fieldsOfVersion, gapOf, isBehind, mayReplace } from './definition.ts';
import { apiGroup } from './group.ts';

const schemaOf = (spec: string[], status: string[]) => {
  const named = (names: string[]) => ({ properties: Object.fromEntries(names.map((name) => [name, {}])) });
  return { properties: { spec: named(spec), status: named(status) } };
};
const definition = (spec: string[], status = ['applied'], version = 'v1'): Definition => ({
  metadata: { name: 'widgets.test' },
  spec: { versions: [{ name: version, schema: { openAPIV3Schema: schemaOf(spec, status) } }] },
});
const own = definition(['a', 'b']);

/** Definition in the API server, its missing fields, and whether it is outdated and may be replaced. */
const cases: [string, Definition, string[], boolean, boolean][] = [
  ['the same', own, [], false, true],
  ['without a field', definition(['a']), ['b'], true, true],
  ['without the record', definition(['a', 'b'], []), [], true, true],
  ['with more fields', definition(['a', 'b', 'c']), [], false, false],
  ['with other fields', definition(['a', 'c']), ['b'], true, false],
  ['with another field of the status', definition(['a'], ['applied', 'x']), ['b'], true, false],
];
for (const [name, served, lacking, behind, replaced] of cases) {
  test(`a definition ${name} lacks ${JSON.stringify(lacking)}`, () => {
    const [mine, theirs] = [own, served].map((one) => fieldsOfVersion(one, 'v1') ?? fieldsOf(undefined));
    assert.ok(mine && theirs);
    const gap = gapOf(mine, theirs);
    assert.deepEqual(gap.lacking, lacking);
    assert.deepEqual([isBehind(gap), mayReplace(own, served)], [behind, replaced]);
  });
}

test('a definition with a further version stays', () => {
  const [one] = definition(['a'], ['applied'], 'v2').spec.versions;
  const newer = { ...own, spec: { versions: [...own.spec.versions, ...(one ? [one] : [])] } };
  assert.equal(mayReplace(own, newer), false);
  assert.equal(fieldsOfVersion(own, 'v2'), null);
});

test('each definition of this release has defaults and a record of what was carried out', () => {
  const files = globSync('charts/sandpost/files/crds/*.yaml');
  assert.ok(files.length > 3);
  const defaults = {};
  for (const file of files) {
    const fields = fieldsOfVersion(load(readFileSync(file, 'utf8')) as Definition, apiGroup.version);
    // The spec of a MailExpectation or an Inbox is immutable.
    const isFixed = file.includes('mailexpectations') || file.includes('inboxes');
    assert.ok((isFixed || fields?.status.has('applied')) && Number(fields?.spec.size) > 0, file);
    Object.assign(defaults, fields?.defaults);
  }
  const ofOthers = { active: true, storageLimit: '100Mi', scope: 'full', role: 'member' };
  assert.deepEqual(defaults, { ...ofOthers, count: 1, within: '5m' });
});
