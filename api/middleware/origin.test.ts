import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayUseCookie } from './origin.ts';

const allowed = ['https://mail.example.com', 'http://10.0.0.5:8080'];

const cases: [string, string, boolean][] = [
  ['', '', true],
  ['same-origin', '', true],
  ['none', '', true],
  ['same-site', '', false],
  ['cross-site', '', false],
  ['cross-site', 'https://mail.example.com', false],
  ['same-origin', 'https://evil.example', true],
  ['nonsense', '', false],
  ['', 'https://mail.example.com', true],
  ['', 'HTTPS://MAIL.EXAMPLE.COM', true],
  ['', 'http://10.0.0.5:8080', true],
  ['', 'http://mail.example.com', false],
  ['', 'https://mail.example.com:444', false],
  ['', 'https://mail.example.com.evil.example', false],
  ['', 'null', false],
];

for (const [secFetchSite, origin, expected] of cases) {
  test(`a cookie ${expected ? 'counts' : 'is ignored'} with Sec-Fetch-Site "${secFetchSite}", Origin "${origin}"`, () =>
    assert.equal(mayUseCookie({ secFetchSite, origin }, allowed), expected));
}
