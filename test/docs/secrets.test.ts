import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { entriesOf, faultsOf } from '#operator/api-key/entries.ts';
import type { ApiKeyResource } from '#operator/api-key/view.ts';

const page = readFileSync('docs/secrets.md', 'utf8');
const sections = page.split(/^### /m).slice(1);

/** Secret entries of an ApiKey with a spec, with the values that the page shows. */
function entriesFor(spec: ApiKeyResource['spec']): Record<string, string> {
  const addresses = {
    SANDPOST_URL: 'http://sandpost-api.sandpost.svc',
    ...{ SANDPOST_SMTP_HOST: 'sandpost-smtp.sandpost.svc', SANDPOST_SMTP_PORT: '25' },
  };
  const metadata = { namespace: 'qa', name: 'mail', uid: 'u', resourceVersion: '1', generation: 1 };
  const resource = { apiVersion: 'sandpost.dev/v1alpha1', kind: 'ApiKey' as const, metadata, spec };
  return entriesOf(
    {
      ...{ resource, owner: 1, lacking: [], secret: null, storedKeys: [], keyInSecret: 'unknown' },
      ...{
        addresses,
        address: 'qa@app.test',
        hasRoom: true,
        now: new Date(),
        pace: { repairs: 0, pauseMs: 0 },
      },
    },
    'sp_7',
  );
}

test('each Secret has the entries of the first table', () => {
  const [, table = ''] = page.split('|---|---|');
  const [rows = ''] = table.split('\n\n');
  const named = [...rows.matchAll(/`([a-z]+|SANDPOST_\w+)`[,| ]/g)].map(([, name = '']) => name);
  const known = [...Object.keys(entriesFor({})), 'SANDPOST_SMTPS_PORT'];
  const unexpected = named.filter((name) => name.length > 0 && !known.includes(name));
  assert.deepEqual(unexpected, []);
  assert.deepEqual(
    known.filter((name) => !named.includes(name)),
    [],
  );
});

test('each example gives what stands below it', () => {
  assert.deepEqual(
    sections.map((section) => section.split('\n')[0]),
    ['Spring Boot', 'Django', 'Rails', 'Laravel', 'Symfony', 'Keycloak', 'GitLab', 'Grafana'],
  );
  for (const section of sections) {
    const [, yaml = ''] = /```yaml\n([^`]*)```/.exec(section) ?? [];
    const [, env = ''] = /```env\n([^`]*)```/.exec(section) ?? [];
    const { template } = load(yaml) as { template: Record<string, string> };
    assert.deepEqual(faultsOf(template), []);
    const entries = entriesFor({ template });
    const lines = Object.keys(template).map((name) => `${name}=${entries[name]}\n`);
    assert.equal(lines.join(''), env);
  }
});
