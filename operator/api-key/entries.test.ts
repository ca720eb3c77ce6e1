import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addresses,
  applied,
  entries,
  resource,
  secret,
  view,
} from '#test/support/kubernetes/api-key-views.ts';
import { decideApiKey } from './decide.ts';
import { entriesOf } from './entries.ts';
import type { ApiKeyView } from './view.ts';

const templated = resource({}, { template: { MAIL_DSN: '{{ username }}@{{host}}' } });
const addressed = resource({}, { template: { MAIL_FROM: '{{address}}' } });
const withDsn = secret({ data: { ...entries, MAIL_DSN: 'apikey@smtp' } });

/** State, and the next step, or the Ready condition's reason with the fields that are kept. */
const cases: [string, Partial<ApiKeyView>, object | string][] = [
  [
    'a listener that has implicit TLS from now on',
    { addresses: { ...addresses, SANDPOST_SMTPS_PORT: '465' } },
    { do: 'write-secret', value: 'same' },
  ],
  [
    'a listener that has no implicit TLS any more',
    { secret: secret({ data: { ...entries, SANDPOST_SMTPS_PORT: '465' } }) },
    { do: 'remove-entries', names: ['SANDPOST_SMTPS_PORT'] },
  ],
  ['a template that the Secret lacks', { resource: templated }, { do: 'write-secret', value: 'same' }],
  ['a template that the Secret has', { resource: templated, secret: withDsn }, 'Stored'],
  [
    'a template with one entry less than the Secret',
    {
      resource: templated,
      secret: secret({ data: { ...withDsn.data, OLD: '1', OTHER: '2' }, written: ['OLD'] }),
    },
    { do: 'remove-entries', names: ['OLD'] },
  ],
  [
    'a template that is removed',
    { resource: { ...resource(), status: applied(0, ['template']) }, secret: withDsn },
    { do: 'remove-entries', names: ['MAIL_DSN'] },
  ],
  [
    'a new resource with the Secret of an earlier one',
    { secret: withDsn },
    { do: 'remove-entries', names: ['MAIL_DSN'] },
  ],
  [
    'an unknown placeholder',
    { resource: resource({}, { template: { A: '{{hots}}' } }) },
    'UnknownPlaceholder',
  ],
  [
    'an unknown placeholder and no Secret',
    {
      resource: resource({}, { template: { A: '{{hots}}' } }),
      ...{ secret: null, storedKeys: [], keyInSecret: 'malformed' },
    },
    'UnknownPlaceholder',
  ],
  ['an address that there is not', { resource: addressed }, 'AddressMissing'],
  ['an address', { resource: addressed, address: 'qa@app.test' }, { do: 'write-secret', value: 'same' }],
  [
    'a template that the definition lacks',
    { resource: { ...resource(), status: applied(0, []) }, secret: withDsn, lacking: ['template'] },
    'Stored, kept: template=MAIL_DSN',
  ],
  [
    'a template that got lost',
    { resource: { ...resource(), status: applied(1, ['template']) }, secret: withDsn },
    'Stored, kept: template=MAIL_DSN',
  ],
  [
    'a template that got lost, and a damaged Secret',
    {
      resource: { ...resource(), status: applied(1, ['template']) },
      secret: secret({ data: { ...entries, MAIL_DSN: 'apikey@smtp', port: '1' } }),
    },
    { do: 'write-secret', value: 'same' },
  ],
];
for (const [name, words, wanted] of cases) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const step = decideApiKey(view(words));
    if (step.do !== 'report') return assert.deepEqual(step, wanted);
    const { reason } = step.findings.find(({ type }) => type === 'Ready') ?? {};
    const kept = step.kept?.map(({ field, value }) => `${field}=${value}`).join(' ');
    assert.equal(kept ? `${reason}, kept: ${kept}` : reason, wanted);
  });
}

test('a Secret that is written anew keeps the entries of a template that got lost, and none of others', () => {
  const data = { ...entries, MAIL_DSN: 'apikey@smtp', EXTRA: 'mine' };
  const written = Object.keys(data).filter((name) => name !== 'EXTRA');
  const lost = { ...resource(), status: applied(1, ['template']) };
  const wanted = entriesOf(view({ resource: lost, secret: secret({ data, written }) }), 'sp_x');
  assert.deepEqual(wanted, { ...entries, MAIL_DSN: 'apikey@smtp' });
});

test('the message about a placeholder names it, and those that there are', () => {
  const template = { MAIL_DSN: 'smtp://{{ hots }}:{{port}}', A: '{{user name}} {{}} {{{host}}}' };
  const step = decideApiKey(view({ resource: resource({}, { template }) }));
  assert.equal(step.do, 'report');
  const ready = 'findings' in step ? step.findings.find(({ type }) => type === 'Ready') : undefined;
  assert.equal(
    ready?.message,
    'spec.template.MAIL_DSN contains {{hots}}; spec.template.A contains {{user name}}; spec.template.A contains {{}}: a template can contain only {{address}}, {{host}}, {{key}}, {{password}}, {{port}}, {{url}}, {{username}}. The Secret is unchanged',
  );
});
