import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '#setup/config.ts';
import type { Ctx } from './context.ts';
import { keepSignIn, localPath, takeSignIn } from './provider-sign-in.ts';

const configOf = (secret: string, baseUrl = 'https://mail.corp.test') =>
  readConfig({
    SANDPOST_BASE_URL: baseUrl,
    SANDPOST_OIDC_ISSUER: 'https://login.test',
    SANDPOST_OIDC_CLIENT_ID: 'sandpost',
    SANDPOST_OIDC_CLIENT_SECRET: secret,
  });
const config = configOf('secret');
const signIn = { state: 's', nonce: 'n', verifier: 'v', returnTo: '/mail', former: null };
const minutes = (count: number) => new Date(count * 60_000);

/** Browser context that keeps cookies with their attributes. */
function browser() {
  const kept = new Map<string, string>();
  const attributes = new Map<string, object>();
  const cookies = {
    secure: false,
    get: (name: string) => kept.get(name),
    set(name: string, value: string, options: object) {
      kept.set(name, value);
      attributes.set(name, options);
    },
  };
  return { ctx: { cookies } as unknown as Ctx, kept, attributes };
}

test('a sign-in under way is taken once, within ten minutes, by any process of the installation', () => {
  const { ctx, kept } = browser();
  keepSignIn(ctx, signIn, minutes(0), config);
  const [[name = '', value = ''] = []] = kept;
  assert.equal(name, '__Host-sandpost_oidc');
  const early = new Date(minutes(10).getTime() - 1);
  assert.deepEqual(takeSignIn(ctx, 's', early, configOf('secret')), signIn);
  assert.throws(() => takeSignIn(ctx, 's', early, config), { message: /did not start in this browser/ });
  kept.set(name, value);
  assert.throws(() => takeSignIn(ctx, 's', minutes(10), config), { message: /more than ten minutes ago/ });
  assert.throws(() => takeSignIn(ctx, 's', early, configOf('other')), { message: /did not start/ });
  assert.throws(() => takeSignIn(ctx, null, early, config), { message: /Another sign-in/ });
  assert.equal(kept.get(name), value, 'an answer of another sign-in does not end this one');
});

test('the cookie is for this host alone, and secure with an https base URL', () => {
  for (const [baseUrl, secure, name] of [
    ['https://mail.corp.test', true, '__Host-sandpost_oidc'],
    ['http://localhost:8080', false, 'sandpost_oidc'],
  ] as const) {
    const { ctx, attributes } = browser();
    keepSignIn(ctx, signIn, minutes(0), configOf('secret', baseUrl));
    assert.deepEqual(attributes.get(name), {
      maxAge: 600_000,
      httpOnly: true,
      sameSite: 'lax',
      secure,
      path: '/',
      overwrite: true,
    });
  }
});

const cases: [given: string, wanted: string][] = [
  ['/', '/'],
  ['/mail/all/7?q=a%20b#top', '/mail/all/7?q=a%20b#top'],
  ['/a/../manage/you', '/manage/you'],
  ['/mail?q="<x>', '/mail?q=%22%3Cx%3E'],
  ['', '/'],
  ['mail', '/'],
  ['//evil.example', '/'],
  ['///evil.example', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/\n\\evil.example', '/'],
  [' //evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['/%2e//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['//local.invalid/mail', '/mail'],
  [`/${'a'.repeat(1023)}`, `/${'a'.repeat(1023)}`],
  [`/${'a'.repeat(1024)}`, '/'],
];
for (const [given, wanted] of cases) {
  test(`${JSON.stringify(given.slice(0, 30))} leads to ${wanted.slice(0, 30)}`, () => {
    assert.equal(localPath(given), wanted);
    assert.equal(new URL(wanted, 'https://sandpost.test').origin, 'https://sandpost.test');
  });
}
