import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { BrowserLike } from '#test/support/clients/browser-like.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { startIdentityProvider } from '#test/support/program/identity-provider.ts';
import { startProgram } from '#test/support/program/program.ts';
import { forAllTests, programOfAll } from '#test/support/program/scene.ts';
import { beginAt, readAs, refused, signInAt } from '#test/support/program/sign-in.ts';
import { until } from '#test/support/runner/until.ts';

const ada = { sub: 'ada', email: 'ada@corp.test', email_verified: true };
const start = '/api/auth/oidc';
const away = /localhost:\d+ is not responding/;

test('with the provider down, the program starts, says so, and signs in once it is there', async () => {
  await using provider = await startIdentityProvider({ down: true });
  await using program = await startProgram(provider.settings);
  const browser = new BrowserLike();
  for (let tries = 0; tries < 2; tries += 1) {
    const answer = await browser.open(`${program.baseUrl}${start}`);
    refused(answer, 503, away, browser);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
  await provider.listen();
  provider.account = ada;
  assert.equal((await signInAt(program, browser)).status, 200);

  const late = new BrowserLike();
  const answer = await beginAt(program, late);
  await provider.close();
  refused(await late.open(answer), 503, away, late);
  await until(() => program.log.filter(({ event }) => event === 'openid.down').length === 3);
  await provider.listen();
  assert.equal((await signInAt(program)).status, 200);
});

type Broken = (response: ServerResponse) => void;
const json =
  (text: string): Broken =>
  (response) =>
    response.setHeader('content-type', 'application/json').end(text);
const metadata = '/.well-known/openid-configuration';

/** Responses of a broken provider, by path, in the order in which a first sign-in requests them. */
const broken: [what: string, path: string, answer: Broken][] = [
  [
    'metadata of another issuer',
    metadata,
    json('{"issuer":"http://localhost","authorization_endpoint":"http://localhost/a"}'),
  ],
  ['a redirect', metadata, (response) => response.writeHead(302, { location: 'http://[::1]:9/' }).end()],
  ['an error of the server', '/token', (response) => response.writeHead(500).end('{}')],
  ['a page of a proxy', '/token', (response) => response.setHeader('content-type', 'text/html').end('<p>')],
  ['no JSON', '/token', json('{')],
  ['keys that cannot be read', '/jwks', (response) => response.writeHead(502).end()],
  ['a closed connection', '/me', (response) => response.destroy()],
  ['two megabytes', '/me', json(`{"a":"${'a'.repeat(2 ** 21)}"}`)],
];

const provider = await startIdentityProvider();
after(() => provider.close());
const program = await forAllTests(startProgram(provider.settings));

test('a provider that is broken is told on a page, and the log has the reason', async () => {
  provider.account = ada;
  const logged = () => program.log.filter(({ event }) => event === 'openid.down').length;
  for (const [what, path, answer] of broken) {
    provider.intercept = (request, response) => meets(path, request, () => answer(response));
    const browser = new BrowserLike();
    const before = logged();
    const url = path === metadata ? `${program.baseUrl}${start}` : await beginAt(program, browser);
    refused(await browser.open(url), 503, away, browser);
    await until(() => logged() > before);
    assert.ok(provider.paths.includes(path), what);
  }
  provider.intercept = null;
  assert.equal((await signInAt(program)).status, 200);
  const metrics = await (await fetch(`http://127.0.0.1:${program.opsPorts.api}/metrics`)).text();
  assert.match(metrics, /limits_reached_total\{limit="access\.providerBytes"\} 1/);
});

test('a provider that does not answer is waited for five seconds', async () => {
  provider.account = ada;
  const cases: [path: string, begin: (response: ServerResponse) => void][] = [
    ['/token', () => {}],
    ['/me', (response) => response.setHeader('content-type', 'application/json').write('{')],
  ];
  await Promise.all(
    cases.map(async ([path, begin]) => {
      const browser = new BrowserLike();
      const url = await beginAt(program, browser);
      const before = provider.intercept;
      provider.intercept = (request, response) =>
        meets(path, request, () => begin(response)) || (before?.(request, response) ?? false);
      const began = performance.now();
      refused(await browser.open(url), 503, away, browser);
      const ms = performance.now() - began;
      assert.ok(ms > 4500 && ms < 12_000, `${path}: ${ms}`);
    }),
  );
});

test('e-mail and groups are read from the ID token where it has them', async () => {
  await using provider = await startIdentityProvider({ emailInToken: true });
  await using program = await startProgram(provider.settings);
  for (const email_verified of [true, 'true']) {
    provider.account = { ...ada, email_verified };
    const { browser } = await signInAt(program);
    assert.equal((await readAs(program, browser, '/api/auth/session')).email, ada.email);
  }
  assert.ok(!provider.paths.includes('/me'));
});

test('without passwords, the identity provider and API keys are the ways in', async () => {
  await using provider = await startIdentityProvider();
  const key = `sp_${'k'.repeat(43)}`;
  await using program = await startProgram({
    ...provider.settings,
    SANDPOST_PASSWORD_SIGN_IN: 'false',
    SANDPOST_BOOTSTRAP_EMAIL: ada.email,
    SANDPOST_BOOTSTRAP_PASSWORD: 'correct horse',
    SANDPOST_BOOTSTRAP_API_KEY: key,
  });
  const visitor = new HttpClient(program);
  const byPassword = { email: ada.email, password: 'correct horse' };
  const login = await visitor.post('/api/auth/login', byPassword);
  assert.deepEqual([login.status, login.json.code], [403, 'sign_in_refused']);
  assert.match(
    login.json.detail,
    /^Password sign-in is off: sign in with localhost:\d+, or with an API key$/,
  );
  assert.equal((await visitor.post('/api/auth/register', byPassword)).status, 404);
  const byKey = await visitor.post('/api/auth/login', { api_key: key });
  assert.equal(byKey.status, 200);
  const headers = { cookie: (byKey.headers['set-cookie'] ?? '').split(';')[0] ?? '' };
  const change = { current_password: 'correct horse', new_password: 'battery staple' };
  const changed = await visitor.post('/api/auth/password', change, { headers });
  assert.deepEqual([changed.status, changed.json.code], [403, 'sign_in_refused']);
  const methods = (await visitor.get('/api/auth/methods')).json;
  assert.deepEqual([methods.password, methods.registration], [false, false]);
  provider.account = ada;
  const { browser } = await signInAt(program);
  assert.equal((await readAs(program, browser, '/api/auth/session')).email, ada.email);
});

test('without a provider there is no such sign-in', async () => {
  const program = await programOfAll();
  const visitor = new HttpClient(program);
  for (const path of [start, `${start}/callback?state=a&code=b`]) {
    assert.equal((await visitor.get(path)).status, 404);
    const page = await new BrowserLike().open(`${program.baseUrl}${path}`);
    refused(page, 404, /This server does not support this request/, new BrowserLike());
  }
  const { json } = await visitor.get('/api/auth/methods');
  assert.deepEqual(json, { password: true, registration: true, oidc: null });
});

/** Answers a request to a path, and returns whether it matched. */
function meets(path: string, { url }: IncomingMessage, answer: () => void): boolean {
  if (url?.split('?')[0] !== path) return false;
  answer();
  return true;
}
