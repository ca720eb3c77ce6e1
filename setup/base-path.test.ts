import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basePathOf, withoutBasePath } from './base-path.ts';

test('a base URL has the path of a proxy, or none', () => {
  for (const [baseUrl, path] of [
    ['https://host', ''],
    ['https://host/', ''],
    ['https://host/mail', '/mail'],
    ['https://host:8443/tools/sand-post_1.2~/', '/tools/sand-post_1.2~'],
    ['https://host/a/../mail', '/mail'],
  ] as const)
    assert.equal(basePathOf(baseUrl), path, baseUrl);
  for (const [baseUrl, sentence] of [
    ['https://host/api', /begins with \/api/],
    ['https://host/clients/x', /begins with \/clients/],
    ['https://host/mcp', /begins with \/mcp/],
    ['https://host/a b', /letters, digits/],
    ['https://host/a%2fb', /letters, digits/],
    ['https://host//mail', /letters, digits/],
    ['https://host/mail?x=1', /query or fragment after its path/],
    ['https://host/mail#x', /query or fragment after its path/],
  ] as const)
    assert.throws(() => basePathOf(baseUrl), sentence, baseUrl);
});

/** Request path, and the remainder with the base path `/mail`. */
const paths: [string, string][] = [
  ['/mail', '/'],
  ['/mail?q=a', '/?q=a'],
  ['/mail/', '/'],
  ['/mail/?q=a', '/?q=a'],
  ['/mail/api/messages?q=/mail/', '/api/messages?q=/mail/'],
  ['/mail/mail/all', '/mail/all'],
  ['/mail/mail', '/mail'],
  ['/mail/assets/index.js', '/assets/index.js'],
  ['/mail/clients/python/sandpost/', '/clients/python/sandpost/'],
  ['/mail/mcp', '/mcp'],
  ['/mail/llms.txt', '/llms.txt'],
  ['/mail/providers/sendgrid/v3/mail/send', '/providers/sendgrid/v3/mail/send'],
  ['/api/messages', '/api/messages'],
  ['/providers/sendgrid/v3/mail/send', '/providers/sendgrid/v3/mail/send'],
  ['/mail/all', '/mail/all'],
  ['/mail/4/21/7/headers', '/mail/4/21/7/headers'],
  ['/mail/refused', '/mail/refused'],
  ['/mailing/api/messages', '/mailing/api/messages'],
  ['/', '/'],
];

for (const [url, rest] of paths)
  test(`${url} behind /mail is ${rest}, whether a proxy removed the path or not`, () =>
    assert.equal(withoutBasePath(url, '/mail'), rest));

test('without a base path nothing is removed', () =>
  assert.equal(withoutBasePath('/mail/api/messages', ''), '/mail/api/messages'));
