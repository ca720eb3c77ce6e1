import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadYaml, type V1CustomResourceDefinition } from '@kubernetes/client-node';
import { apiGroup } from '#operator/group.ts';
import { createKinds, withObjects } from '#operator/kinds.ts';
import type { Secrets } from '#operator/secrets.ts';
import type { Services } from '#setup/services.ts';

const kinds = createKinds({ config: {} } as Services, {} as Secrets);

test('each definition in crds/ has its kind', () => {
  const defined = globSync('crds/*.yaml').map((file) => {
    const { spec } = loadYaml<V1CustomResourceDefinition>(readFileSync(file, 'utf8'));
    return [spec.group, spec.names.kind, spec.names.plural];
  });
  const known = [...kinds.values()].map(({ name, plural }) => [apiGroup.group, name, plural]);
  assert.deepEqual(known.sort(), defined.sort());
});

/** Chart files that name kinds by their plurals: all, or those with objects, whose resources have a finalizer. */
const chartFiles = [
  ['templates/operator/_rules.tpl', [...kinds.values()]],
  ['templates/operator/aggregated-roles.yaml', [...kinds.values()]],
  ['templates/operator/rbac.yaml', [...kinds.values()]],
  ['templates/uninstall/rbac.yaml', withObjects(kinds)],
  ['files/jobs/release-resources.ts', withObjects(kinds)],
] as const;
for (const [file, named] of chartFiles) {
  test(`the chart's ${file} names its kinds`, () => {
    const words = new Set(readFileSync(`charts/sandpost/${file}`, 'utf8').match(/[a-z]+/g));
    const missing = named.filter(({ plural }) => !words.has(plural));
    assert.deepEqual(missing, []);
  });
}
