import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

const read = (values: Record<string, string>) =>
  readConfig(Object.fromEntries(Object.entries(values).map(([name, value]) => [`SANDPOST_${name}`, value])));

test('namespaces are chosen by names or by labels', () => {
  assert.equal(read({ NAMESPACE_SELECTOR: 'sandpost in (yes)' }).namespaceSelector, 'sandpost in (yes)');
  assert.throws(() => read({ NAMESPACE_SELECTOR: 'a', WATCH_NAMESPACES: 'qa' }), /, not both/);
});

test('inboxes of preview namespaces need both of their settings, and all namespaces', () => {
  const given = { PREVIEW_SELECTOR: 'a in (b, c),!d', PREVIEW_DOMAIN: 'pr.test' };
  assert.deepEqual(read(given).previews, { selector: 'a in (b, c),!d', domain: 'pr.test' });
  assert.throws(() => read({ ...given, WATCH_NAMESPACES: 'qa' }), /remove SANDPOST_WATCH_NAMESPACES/);
});

test('suffixes of domains are for each team, for one, or for each namespace', () => {
  const DOMAIN_SUFFIXES = 'test, A = b=b.test, {namespace}.pr.test';
  assert.deepEqual(read({ DOMAIN_SUFFIXES }).domainSuffixes, [
    { team: null, suffix: 'test' },
    { team: 'A = b', suffix: 'b.test' },
    { team: null, suffix: '{namespace}.pr.test' },
  ]);
});
