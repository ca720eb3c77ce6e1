import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await forAllTests(startProgram({ SANDPOST_BASE_URL: 'http://mail.example.com:8080' }));

test('from registering to a first mail in a few clicks', async () => {
  await using page = await openPage(program, null);
  const name = `u${randomBytes(4).toString('hex')}`;
  await page.getByText('Register').click();
  await page.getByLabel('Email').fill(`${name}@example.com`);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Register' }).click();

  await focusedHeading(page, 'Where should mail go?');
  await page.getByRole('button', { name: `Create qa@${name}.test` }).press('Enter');
  await focusedHeading(page, 'Connect an application');
  await page.getByText('mail.example.com', { exact: true }).waitFor();
  for (const tool of ['curl', 'swaks', 'Nodemailer', 'Django', 'Rails', 'Laravel', 'Spring', 'PHP', '.NET']) {
    await page.getByRole('group', { name: 'Lines for' }).getByText(tool, { exact: true }).click();
    const lines = page.getByRole('figure').locator('pre');
    await lines.getByText('mail.example.com').waitFor();
    await page.getByRole('button', { name: `Copy the lines for ${tool}` }).waitFor();
  }

  await page.getByRole('button', { name: 'Send a test email' }).click();
  await page.getByRole('link', { name: 'open all mail' }).press('Enter');
  await page.getByText('Welcome to Sandpost').first().waitFor();
  await focusedHeading(page, 'All mail');
  // The list takes the focus with the first key that moves in it.
  await page.keyboard.press('j');
  assert.ok(await page.getByRole('listbox').evaluate((list) => list === document.activeElement));
  // An inbox has a single name.
  const tree = async () => (await page.getByRole('treeitem').allTextContents()).join();
  await until(async () => (await tree()) === 'All mail1 unread,Refused');
  // The page requests the session, and the API answers an anonymous visitor with 401.
  const unexpected = page.errors.filter((error) => !error.includes('401'));
  assert.deepEqual(unexpected, []);
});

test('the empty list waits with a line to copy, and a button sends the first mail', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user);
  await page.getByText('Waiting for email…').waitFor();
  await page.getByRole('figure').getByText(`--mail-rcpt ${user.address}`).waitFor();
  assert.equal(await page.getByRole('toolbar').count(), 0, 'nothing to filter');
  await page.getByRole('button', { name: 'Send a test email' }).click();
  await page.getByRole('option').filter({ hasText: 'Welcome to Sandpost' }).first().waitFor();
  await page.getByText('Waiting for email…').waitFor({ state: 'detached' });
  await page.getByRole('toolbar', { name: 'Filters' }).getByText('Unread').waitFor();
  assert.deepEqual(page.errors, []);
});

test('a taken name is reported beside its field, and another is taken', async () => {
  const other = await createUser(program);
  await using page = await openPage(program, await newcomer());
  // A suggestion that arrived while the field is being filled would be appended to the name.
  await page.getByRole('button', { name: /^Create qa@./ }).waitFor();
  await page.getByLabel('Domain').fill(other.domain.domain);
  await page.getByRole('button', { name: /^Create / }).click();
  const field = page.getByLabel('Domain');
  await page.locator('[aria-invalid=true]').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.match((await page.getByRole('alert').textContent()) ?? '', /is already|taken|registered/);

  // The second attempt finds the domain created and the account refused. The third must not create the domain again.
  await field.fill(`${randomBytes(4).toString('hex')}.test`);
  await page.getByLabel('Account').fill('not an address');
  await page.getByRole('button', { name: /^Create / }).click();
  await page.locator('[name=address][aria-invalid=true]').waitFor();
  await page.getByLabel('Account').fill('ann');
  await page.getByRole('button', { name: /^Create / }).click();
  await page.getByRole('heading', { name: 'Connect an application' }).waitFor();
});

test('a refused registration is explained beside the field', async () => {
  await using page = await openPage(program, null);
  await page.getByText('Register').click();
  await page.getByLabel('Email').fill('ann@example.com');
  await page.getByLabel('Password').fill('short');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('must have 10 to 256 characters').waitFor();
  const password = page.getByLabel('Password');
  assert.equal(await password.getAttribute('aria-invalid'), 'true');
  assert.equal(await page.locator(':focus').getAttribute('name'), 'password');
});

test('a stranger sees nothing but the sign-in, however long the answer takes', async () => {
  await using page = await openPage(program, null);
  await page.getByLabel('Email').waitFor();
  const answer = Promise.withResolvers<void>();
  await page.route('**/api/auth/session', async (route) => {
    await answer.promise;
    await route.continue();
  });
  // The sign-in must not appear before the session's response. Other requests remain unanswered here.
  await page.route(/api\/(domains|accounts|messages|teams)/, () => {});
  await page.reload({ waitUntil: 'domcontentloaded' });
  await page.locator('.page').waitFor({ state: 'attached' });
  assert.equal(await page.locator('nav').first().isVisible(), false);
  answer.resolve();
  await page.getByLabel('Email').waitFor();
});

test('signing in by password, or by API key; failures are shown', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, null, '/manage/you');
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill('wrong horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Wrong email, password or API key').waitFor();
  const password = page.getByLabel('Password');
  assert.ok(await password.evaluate((input) => input === document.activeElement));
  await password.fill(user.password);
  await page.keyboard.press('Enter');
  await page.getByText(`Signed in as ${user.email}`).waitFor();
  await focusedHeading(page, 'You');

  await using byKey = await openPage(program, null, '/manage/you');
  await byKey.getByText('API key', { exact: true }).click();
  await byKey.getByRole('textbox', { name: 'API key' }).fill('sp_wrong');
  await byKey.keyboard.press('Enter');
  await byKey.getByText('Wrong email, password or API key').waitFor();
  await byKey.getByRole('textbox', { name: 'API key' }).fill(user.key);
  await byKey.getByRole('button', { name: 'Sign in' }).click();
  await byKey.getByText(`Signed in as ${user.email}`).waitFor();
});

test('registration is offered only where it is open', async () => {
  await using closed = await startProgram({ SANDPOST_REGISTRATION: 'closed' });
  await using at = await openPage(closed, null);
  await at.getByLabel('Email').waitFor();
  assert.equal(await at.getByText('Register').count(), 0);
  await using open = await openPage(program, null);
  await open.getByText('Register').waitFor();
});

test('a lost session asks to sign in and comes back to the same place', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/keys');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await new HttpClient(program, { cookie: user.cookie }).post('/api/auth/logout');
  // The end of the event stream may notify the page before the click does.
  const notice = page.getByText('Your session has ended');
  for (const name of ['New API key', 'Create key'])
    await page.getByRole('button', { name }).or(notice).first().click();
  await notice.waitFor();
  assert.equal(new URL(page.url()).pathname, '/manage/keys');
  assert.equal(await page.getByLabel('Email').inputValue(), user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/manage/keys');
});

/** Waits until a heading has the focus: Tab continues from there, and screen readers announce it. */
const focusedHeading = (page: Page, name: string) =>
  page.getByRole('heading', { name }).and(page.locator(':focus')).waitFor();

/** Registers a user who has nothing yet. */
async function newcomer(): Promise<{ cookie: string }> {
  const body = { email: `${randomBytes(6).toString('hex')}@example.com`, password: 'correct horse' };
  const answer = await new HttpClient(program).post('/api/auth/register', body);
  return { cookie: (answer.headers['set-cookie'] ?? '').split(';')[0] ?? '' };
}
