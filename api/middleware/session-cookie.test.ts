import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFromThisMachine, mayUseCookie } from './session-cookie.ts';

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

const visits: [string, string, string, boolean][] = [
  ['localhost:8080', '', '', true],
  ['LOCALHOST', '', '', true],
  ['127.0.0.1:8080', '', '', true],
  ['127.9.9.9', '', '', true],
  ['[::1]:8080', 'none', '', true],
  ['app.localhost:8080', '', '', true],
  ['localhost:8080', 'same-origin', 'http://localhost:8080', true],
  ['localhost:8080', '', 'http://LOCALHOST:8080', true],
  ['localhost:8080', '', 'http://localhost:3000', false],
  ['localhost:8080', '', 'http://127.0.0.1:8080', false],
  ['localhost:8080', '', 'https://localhost:8080', false],
  ['localhost:8080', 'same-origin', 'http://evil.test', false],
  ['localhost:8080', 'none', 'null', false],
  ['localhost:8080', 'same-site', '', false],
  ['localhost:8080', 'cross-site', '', false],
  ['evil.test:8080', '', '', false],
  ['evil.test:8080', 'same-origin', 'http://evil.test:8080', false],
  ['localhost.evil.test', '', '', false],
  ['127.0.0.1.evil.test', '', '', false],
  ['10.0.0.1:8080', '', '', false],
  ['0.0.0.0:8080', '', '', false],
  ['[::ffff:10.0.0.1]:8080', '', '', false],
  ['evil.test@localhost:8080', '', '', false],
  ['localhost:8080/evil.test', '', '', false],
  ['', '', '', false],
];

for (const [host, secFetchSite, origin, expected] of visits) {
  const sent = `Host "${host}", Sec-Fetch-Site "${secFetchSite}", Origin "${origin}"`;
  test(`a request is ${expected ? '' : 'not '}of this machine with ${sent}`, () =>
    assert.equal(isFromThisMachine(host, { secFetchSite, origin }), expected));
}
