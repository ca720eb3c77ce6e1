import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { type IdentityProvider, startIdentityProvider } from '#test/support/program/identity-provider.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';

// The provider is at localhost and the program at 127.0.0.1, which are two sites to a browser.
let provider: IdentityProvider;
let program: Program;
before(async () => {
  provider = await startIdentityProvider();
  provider.account = { sub: 'ada', email: 'ada@corp.test', email_verified: true };
  program = await startProgram({ ...provider.settings, SANDPOST_REGISTRATION: 'closed' });
});
after(async () => {
  await program.stop();
  await provider.close();
});

const button = (page: Page) =>
  page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}`, exact: true });

async function signIn(page: Page): Promise<void> {
  await button(page).click();
  await page.getByRole('link', { name: 'Continue' }).click();
}

test('the button leads to the provider and back, signed in, to the place that was asked for', async () => {
  await using page = await openPage(program, null, '/manage/you?a=b#c');
  const context = page.context();
  const { errors } = page;
  await signIn(page);
  await page.getByText('Signed in as ada@corp.test').waitFor();
  const { pathname, search } = new URL(page.url());
  assert.equal(pathname + search, '/manage/you?a=b');
  const cookies = await context.cookies(program.baseUrl);
  assert.deepEqual(
    cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
    [['sandpost_session', true, 'Strict']],
  );
  // An unknown visitor's first view gets 401.
  const unexpected = errors.filter((error) => !error.includes('401'));
  assert.deepEqual(unexpected, []);
  await page.reload();
  await page.getByText('Signed in as ada@corp.test').waitFor();
  await page.goBack();
  assert.ok(!page.url().includes('code='), 'the answer of the provider is not in the history');
});

test('an invitation is accepted by way of the provider, and its address is not in the history', async () => {
  const session = { headers: { cookie: '', 'content-type': 'application/json' } };
  await using owners = await openPage(program, null, '/manage/you');
  await signIn(owners);
  await owners.getByText('Signed in as ada@corp.test').waitFor();
  const cookies = await owners.context().cookies(program.baseUrl);
  session.headers.cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const post = async (path: string, body: object) => {
    const answer = await fetch(program.baseUrl + path, {
      method: 'POST',
      body: JSON.stringify(body),
      ...session,
    });
    return answer.json();
  };
  const { id } = await post('/api/teams', { name: 'Harbour' });
  const { url } = await post(`/api/teams/${id}/invitations`, { role: 'member' });
  const former = provider.account;
  provider.account = { sub: 'carol', email: 'carol@corp.test', email_verified: true };
  await using page = await openPage(program, null, '/api/health');
  await page.goto(new URL(url).pathname);
  await signIn(page);
  await page.getByRole('button', { name: 'Join Harbour' }).click();
  await page.waitForURL(`**/team/${id}/mail/all`);
  const client = await page.context().newCDPSession(page);
  const { entries } = await client.send('Page.getNavigationHistory');
  assert.ok(entries.length >= 2);
  const unexpected = entries.map((entry) => entry.url).filter((entry) => entry.includes('/invitations/'));
  assert.deepEqual(unexpected, []);
  provider.account = former;
});

test('somebody else signs in: the former session ends, and nothing of it is shown', async () => {
  await using page = await openPage(program, null, '/manage/you');
  const context = page.context();
  await signIn(page);
  await page.getByText('Signed in as ada@corp.test').waitFor();
  const former =
    (await context.cookies(program.baseUrl)).map(({ name, value }) => `${name}=${value}`)[0] ?? '';
  const [ada, bob] = [provider.account, { sub: 'bob', email: 'bob@corp.test', email_verified: true }];
  provider.account = bob;
  // The provider would sign the previous person in again without asking.
  await context.clearCookies({ domain: 'localhost' });
  await page.goto('/api/auth/oidc?return_to=/manage/you');
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByText('Signed in as bob@corp.test').waitFor();
  assert.equal(await page.getByText('ada@corp.test').count(), 0);
  const old = await fetch(`${program.baseUrl}/api/auth/session`, { headers: { cookie: former } });
  assert.equal(old.status, 401, 'the former session has ended');
  provider.account = ada;
});

test('somebody with mail in the team of a group alone lands there, and can go to their own', async () => {
  await using other = await startIdentityProvider();
  other.account = { sub: 'dora', email: 'dora@corp.test', email_verified: true, groups: ['dev'] };
  await using grouped = await startProgram({
    ...other.settings,
    SANDPOST_OIDC_GROUPS_CLAIM: 'groups',
    SANDPOST_OIDC_GROUPS: 'dev=Shop:member',
  });
  await using page = await openPage(grouped, null, '/');
  await page.getByRole('link', { name: /^Sign in with localhost/ }).click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.waitForURL(/\/team\/\d+\/mail\/all$/);
  // The page renders again when it learns that the team has no mail, which closes the menu.
  await page.getByText('No accounts yet').waitFor();
  await page.getByRole('button', { name: 'Team: Shop' }).click();
  await page.getByRole('link', { name: 'Personal' }).click();
  await page.getByRole('button', { name: 'Team: Personal' }).waitFor();
  await page.getByText('Where should mail go?').waitFor();
});

test('a refusal is a page with a way back', async () => {
  const { account } = provider;
  provider.account = { sub: 'eve', email: 'eve@corp.test', email_verified: false };
  await using page = await openPage(program, null, '/');
  const { errors } = page;
  await signIn(page);
  await page.getByRole('alert').filter({ hasText: 'has not verified your email address' }).waitFor();
  const unexpected = errors.filter((error) => !/40[13]/.test(error));
  assert.deepEqual(unexpected, [], 'its own policy lets the page have its style');
  await page.getByRole('link', { name: 'Back to Sandpost' }).click();
  await button(page).waitFor();
  provider.account = account;
});

test('where registration is closed, nobody is offered to register; help with a password is', async () => {
  await using page = await openPage(program, null, '/');
  await page.getByLabel('Password').waitFor();
  assert.equal(await page.getByText('Register').count(), 0);
  await page.getByText('Forgot your password?').click();
  await page.getByText('sandpost users password EMAIL').waitFor();
});

test('without passwords, the button and the API key are offered', async () => {
  await using other = await startIdentityProvider();
  await using closed = await startProgram({ ...other.settings, SANDPOST_PASSWORD_SIGN_IN: 'false' });
  await using page = await openPage(closed, null, '/');
  await page.getByRole('link', { name: /^Sign in with localhost/ }).waitFor();
  await page.getByRole('textbox', { name: 'API key' }).waitFor();
  assert.equal(await page.getByLabel('Password').count(), 0);
  assert.equal(await page.getByText('Register').count(), 0);
  assert.equal(await page.getByText('Forgot your password?').count(), 0);
});
