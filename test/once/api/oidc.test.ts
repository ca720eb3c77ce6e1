import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { BrowserLike } from '#test/support/clients/browser-like.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { type IdentityProvider, startIdentityProvider } from '#test/support/program/identity-provider.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { beginAt, readAs, refused, sessionCookie, signInAt } from '#test/support/program/sign-in.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

let provider: IdentityProvider;
let program: Program;
before(async () => {
  provider = await startIdentityProvider();
  program = await startProgram({
    ...provider.settings,
    SANDPOST_REGISTRATION: 'open',
    SANDPOST_OIDC_ALLOWED_EMAIL_DOMAINS: 'corp.test,example.com',
    SANDPOST_OIDC_GROUPS_CLAIM: 'groups',
    SANDPOST_OIDC_GROUPS: 'dev=Shop:member,leads=Shop:owner,dev=Ops:viewer,all=Shop:viewer',
    SANDPOST_TRUSTED_PROXIES: '127.0.0.1',
  });
});
after(async () => {
  await program.stop();
  await provider.close();
});
beforeEach(() => {
  provider.account = person();
  provider.tamper = null;
});

function person(more: object = {}) {
  const name = randomBytes(6).toString('hex');
  return { sub: `sub-${name}`, email: `${name}@Corp.test`, email_verified: true, ...more };
}
const session = (browser: BrowserLike) => readAs(program, browser, '/api/auth/session');

test('somebody new signs in, is found again by subject, and keeps the e-mail known here', async () => {
  const { email } = provider.account;
  const first = await signInAt(program);
  assert.equal(first.status, 200, first.text);
  assert.match(first.text, /<meta http-equiv="refresh" content="0;url=\/">/);
  const [cookie = ''] = first.headers.getSetCookie().filter((line) => line.startsWith(`${sessionCookie}=`));
  assert.match(cookie, /httponly/i);
  assert.match(cookie, /samesite=strict/i);
  const user = await session(first.browser);
  assert.equal(user.email, email?.toLowerCase());
  provider.account = { ...provider.account, email: 'new@corp.test' };
  const second = await signInAt(program);
  assert.deepEqual(await session(second.browser), user);
  const [entry] = (await readAs(program, first.browser, '/api/audit-log')).items;
  assert.deepEqual([entry.action, entry.actor], ['session.created', user.email]);
});

test('the request to the provider has state, nonce and the challenge of PKCE, each new', async () => {
  const values = new Set<string>();
  for (let index = 0; index < 2; index += 1) {
    const { status, headers } = await new BrowserLike().open(`${program.baseUrl}/api/auth/oidc`);
    assert.equal(status, 303);
    const address = new URL(headers.get('location') ?? '');
    assert.equal(address.origin, provider.issuer);
    const { searchParams: asked } = address;
    assert.equal(asked.get('code_challenge_method'), 'S256');
    assert.equal(asked.get('scope'), 'openid email profile');
    assert.equal(asked.get('redirect_uri'), `${program.baseUrl}/api/auth/oidc/callback`);
    for (const name of ['state', 'nonce', 'code_challenge']) values.add(asked.get(name) ?? '');
    const cookie = headers.get('set-cookie') ?? '';
    for (const attribute of ['httponly', 'samesite=lax', 'path=/'])
      assert.ok(cookie.toLowerCase().includes(attribute), cookie);
  }
  assert.equal(values.size, 6);
});

test('a verified e-mail joins an existing user, and a password that nobody vouched for ends', async () => {
  const user = await createUser(program);
  provider.account = person({ email: user.email.toUpperCase() });
  const { browser } = await signInAt(program);
  assert.equal((await session(browser)).id, user.id);
  const login = await new HttpClient(program).post('/api/auth/login', {
    email: user.email,
    password: user.password,
  });
  assert.equal(login.status, 401);
});

test('an e-mail of a user of another subject is refused', async () => {
  const { email } = provider.account;
  await signInAt(program);
  provider.account = person({ email });
  const { browser, ...answer } = await signInAt(program);
  refused(answer, 403, /belongs to a different user/, browser);
});

const unfit: [what: string, account: object, sentence: RegExp][] = [
  ['an e-mail that is not verified', { email_verified: false }, /has not verified your email address/],
  [
    'an e-mail of which nothing is said',
    { email_verified: undefined },
    /has not verified your email address/,
  ],
  ['a list as a verified e-mail', { email_verified: [true] }, /has not verified your email address/],
  ['no e-mail', { email: undefined }, /did not send your email address/],
  ['an e-mail of a foreign domain', { email: 'ada@evil.test' }, /on this domain cannot sign in/],
  ['a domain below an allowed one', { email: 'ada@a.corp.test' }, /on this domain cannot sign in/],
];
for (const [what, account, sentence] of unfit) {
  test(`${what} is refused`, async () => {
    provider.account = person(account);
    const { browser, ...answer } = await signInAt(program);
    refused(answer, 403, sentence, browser);
  });
}

test('an unverified e-mail of an existing user is refused, and their password stays', async () => {
  const user = await createUser(program);
  provider.account = person({ email: user.email, email_verified: false });
  const { browser, ...answer } = await signInAt(program);
  refused(answer, 403, /has not verified your email address/, browser);
  await ok(new HttpClient(program).post('/api/auth/login', { email: user.email, password: user.password }));
});

const past = Math.floor(Date.now() / 1000) - 3600;
const [header64, noSignature] = ['{"alg":"none"}', ''].map((text) => Buffer.from(text).toString('base64url'));
const falsified: [what: string, tamper: NonNullable<IdentityProvider['tamper']>][] = [
  ['another nonce', { claims: { nonce: 'x'.repeat(43) } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['another audience', { claims: { aud: 'other' } }],
  ['another party that it was made for', { claims: { aud: ['sandpost', 'other'], azp: 'other' } }],
  ['an expiry in the past', { claims: { exp: past } }],
  ['no expiry', { claims: { exp: undefined } }],
  ['another subject than that of the userinfo', { claims: { sub: 'other' } }],
  ['no subject', { claims: { sub: undefined } }],
  [
    'a changed signature',
    { token: (token) => token.replace(/\.([^.]{20})([^.]+)$/, `.${'A'.repeat(20)}$2`) },
  ],
  ['no signature', { token: (token) => `${header64}.${token.split('.')[1]}.${noSignature}` }],
  ['no three parts', { token: () => 'token' }],
];
for (const [what, tamper] of falsified) {
  test(`an ID token with ${what} is refused, and the log has the reason`, async () => {
    provider.tamper = tamper;
    const lines = () => program.log.filter(({ event }) => event === 'openid.refused');
    const before = lines().length;
    const { browser, ...answer } = await signInAt(program);
    refused(answer, 403, /Signing in with localhost:\d+ failed/, browser);
    await until(() => lines().length > before);
    assert.ok(String(lines().at(-1)?.reason).length > 10);
    assert.doesNotMatch(JSON.stringify(lines()), /eyJ|code=/);
  });
}

test('an answer with another state, issuer or code, or with an error, is refused', async () => {
  for (const [name, value, sentence] of [
    ['state', 'x'.repeat(43), /Another sign-in started/],
    ['iss', 'https://evil.example', /failed/],
    ['code', 'guess', /failed/],
    ['error', 'access_denied', /failed/],
  ] as const) {
    const browser = new BrowserLike();
    const callback = new URL(await beginAt(program, browser));
    callback.searchParams.set(name, value);
    if (name === 'error') callback.searchParams.delete('code');
    refused(await browser.open(callback.href), 403, sentence, browser);
  }
});

test('an answer is used once, by the browser that began', async () => {
  const browser = new BrowserLike();
  const callback = await beginAt(program, browser);
  const another = new BrowserLike();
  refused(await another.open(callback), 403, /did not start in this browser/, another);
  await beginAt(program, another);
  refused(await another.open(callback), 403, /Another sign-in started/, another);
  const kept = browser.cookie(callback, 'sandpost_oidc') ?? '';
  assert.equal((await browser.open(callback)).status, 200);
  assert.equal(browser.cookie(callback, 'sandpost_oidc'), undefined);
  const thief = new BrowserLike({ cookie: `sandpost_oidc=${kept}` });
  const calls = provider.paths.length;
  refused(await thief.open(callback), 403, /is already complete/, thief);
  assert.equal(provider.paths.length, calls, 'the provider is not asked again');
});

test('a cookie that was changed or made elsewhere is refused', async () => {
  const browser = new BrowserLike();
  const callback = await beginAt(program, browser);
  const [text = '', seal = ''] = (browser.cookie(callback, 'sandpost_oidc') ?? '').split('.');
  const content = JSON.parse(Buffer.from(text, 'base64url').toString());
  const other = Buffer.from(JSON.stringify({ ...content, returnTo: 'https://evil.example' })).toString(
    'base64url',
  );
  for (const cookie of [`${other}.${seal}`, text, `${text}.`, `${text}.${seal}x`, '.', `.${seal}`]) {
    const changed = new BrowserLike({ cookie: `sandpost_oidc=${cookie}` });
    refused(await changed.open(callback), 403, /did not start in this browser/, changed);
  }
});

test('the session is new, and the one that the browser had ends', async () => {
  const user = await createUser(program);
  const browser = new BrowserLike();
  const [name = '', former = ''] = user.cookie.split('=');
  browser.cookies.set('127.0.0.1', new Map([[name, former]]));
  const callback = await beginAt(program, browser);
  // A browser sends no SameSite=Strict cookie when it returns from another site.
  browser.cookies.get('127.0.0.1')?.delete(name);
  assert.equal((await browser.open(callback, { 'sec-fetch-site': 'cross-site' })).status, 200);
  assert.notEqual(browser.cookie(callback, sessionCookie), former);
  const old = await new HttpClient(program, { cookie: user.cookie }).get('/api/auth/session');
  assert.equal(old.status, 401);
});

test('another site begins no sign-in, and ends none', async () => {
  const { browser } = await signInAt(program);
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const answer = await browser.open(`${program.baseUrl}/api/auth/oidc`, headers);
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/']);
    assert.equal(answer.headers.get('set-cookie'), null);
  }
  const forged = await browser.open(`${program.baseUrl}/api/auth/oidc/callback?code=a&state=b`);
  assert.equal(forged.status, 403);
  await session(browser);
});

test('the way on leads to a path of this host', async () => {
  for (const [wanted, shown] of [
    ['/mail/all/7?q=a&b', '/mail/all/7?q=a&amp;b'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
  ] as const) {
    const browser = new BrowserLike();
    const answer = await browser.open(await beginAt(program, browser, wanted));
    assert.ok(answer.text.includes(`content="0;url=${shown}"`), answer.text);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
});

const teamsOf = async (browser: BrowserLike) => {
  const { items } = await readAs(program, browser, '/api/teams');
  const shared = items.filter((team: { is_personal: boolean }) => !team.is_personal);
  return Object.fromEntries(shared.map(({ name, role }: { name: string; role: string }) => [name, role]));
};

test('memberships follow the groups at each sign-in, and others stay', async () => {
  const lead = { ...provider.account, groups: ['leads', 'all'] };
  const { email } = provider.account;
  const withGroups = async (groups: unknown) => {
    provider.account = { ...lead, groups };
    return (await signInAt(program)).browser;
  };
  const browser = await withGroups(['dev', 'leads', 'all', 'unknown', 7]);
  assert.deepEqual(await teamsOf(browser), { Shop: 'owner', Ops: 'viewer' });
  const own = await ok(
    new HttpClient(program, {
      cookie: `${sessionCookie}=${browser.cookie(program.baseUrl, sessionCookie)}`,
    }).post('/api/teams', { name: 'Own' }),
  );
  assert.equal(own.role, 'owner');
  const { items } = await readAs(program, browser, '/api/teams');
  const shop = items.find(({ name }: { name: string }) => name === 'Shop');
  assert.deepEqual(await teamsOf(await withGroups('dev')), { Shop: 'member', Ops: 'viewer', Own: 'owner' });
  assert.deepEqual(await teamsOf(await withGroups([])), { Own: 'owner' });
  assert.deepEqual(await teamsOf(await withGroups(undefined)), { Own: 'owner' });
  const again = await withGroups(['leads']);
  assert.deepEqual(await teamsOf(again), { Shop: 'owner', Own: 'owner' });
  const log = await readAs(program, again, `/api/audit-log?team_id=${shop.id}`);
  const told = log.items.filter(({ actor }: { actor: string }) => actor === email?.toLowerCase());
  assert.deepEqual(
    told
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('member')),
    ['member.joined', 'member.removed', 'member.changed', 'member.joined'],
  );
});

test('too many sign-ins from one address wait; others do not', async () => {
  const from = (address: string) => new BrowserLike({ 'x-forwarded-for': address });
  const start = `${program.baseUrl}/api/auth/oidc`;
  const busy = from('203.0.113.7');
  for (let index = 0; index < 100; index += 1) assert.equal((await busy.open(start)).status, 303);
  const answer = await busy.open(start);
  refused(answer, 429, /Too many sign-ins/, busy);
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  assert.equal((await from('203.0.113.8').open(start)).status, 303);
});

test('the page reads how people sign in, and clients that prefer JSON read problems', async () => {
  const visitor = new HttpClient(program);
  const name = new URL(provider.issuer).host;
  const { json } = await visitor.get('/api/auth/methods');
  assert.deepEqual(json, { password: true, registration: true, oidc: { name } });
  const { status, json: problem } = await visitor.get('/api/auth/oidc/callback?state=a&code=b');
  assert.deepEqual([status, problem.code], [403, 'sign_in_refused']);
});
