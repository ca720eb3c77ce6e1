import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openOwnPage, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

test('429 waits by itself, and says so', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Patience' });
  await using page = await openPage(program, user, '/api/health');
  let refused = 0;
  await page.route('**/api/messages?*', (route) => {
    if (refused++ > 0) return route.continue();
    const json = { status: 429, code: 'rate_limited', detail: 'Too many requests' };
    return route.fulfill({ status: 429, headers: { 'Retry-After': '2' }, json });
  });
  await page.goto('/');
  await page.getByText('Waiting for the rate limit').waitFor();
  await rowOf(page, 'Patience').waitFor();
  await page.getByText('Waiting for the rate limit').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('somebody who signs in by a key limited to accounts reads their mail, and nothing fails', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'For the key' });
  const { key } = await ok(user.api.post('/api/tokens', { account_ids: [user.account.id] }));
  await using page = await openPage(program, null);
  await page.getByText('API key', { exact: true }).click();
  await page.getByRole('textbox', { name: 'API key' }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await liveRow(page, 'For the key');
  await page.reload();
  await liveRow(page, 'For the key');
  await page.getByRole('treeitem', { name: user.domain.domain }).waitFor();
  await page.getByRole('treeitem', { name: 'Inbox' }).click();
  await rowOf(page, 'For the key').click();
  await page.getByRole('heading', { name: 'For the key' }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal(await page.locator('.toast').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
});

test('a lost session keeps the place, and nothing of one user is shown to the next', async () => {
  const user = await createUser(program);
  const id = await deliverOne(program, { to: user.address, subject: 'Mine' });
  await using page = await openPage(program, user, `/mail/all/${id}`);
  const context = page.context();
  await liveRow(page, 'Mine');
  await until(async () => (await ok(user.api.get(`/api/messages/${id}`))).is_read);
  await context.clearCookies();
  await page.keyboard.press('f');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).pathname, `/mail/all/${id}`);
  const other = await createUser(program);
  await page.getByRole('textbox', { name: 'Email' }).fill(other.email);
  await page.getByLabel('Password').fill(other.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('listbox').waitFor();
  assert.deepEqual(await subjects(page), []);
  await page.getByRole('treeitem', { name: other.domain.domain }).waitFor();
  await deliverOne(program, { to: other.address, subject: 'Theirs' });
  await rowOf(page, 'Theirs').waitFor();
});

test('a session that is refused at this address has its reason shown', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Mine' });
  await using page = await openPage(program, user);
  await liveRow(page, 'Mine');
  const detail = 'This page is not where SANDPOST_BASE_URL says';
  await page.route('**/api/messages/*', (route) =>
    route.fulfill({ status: 401, json: { status: 401, code: 'unauthenticated', detail } }),
  );
  await rowOf(page, 'Mine').click();
  await page.getByRole('status').filter({ hasText: detail }).waitFor();
  assert.equal(await page.getByText('Your session has ended').count(), 0);
});

test('users who opt in are notified of new mail while the page is hidden', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'First' });
  await using page = await openOwnPage(program, user, '/api/health', { permissions: ['notifications'] });
  // Tests cannot see system notifications, only the page's requests for them.
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Shown {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      constructor(title: string) {
        shown.push(title);
      }
    }
    Object.assign(window, { Notification: Shown, shown });
    Object.defineProperty(document, 'hidden', { get: () => location.hash === '#hidden' });
  });
  await page.goto('/');
  await liveRow(page, 'First');
  const shown = () => page.evaluate('shown.join()');
  await page.evaluate('location.hash = "hidden"');
  await deliverOne(program, { to: user.address, subject: 'Not yet' });
  await rowOf(page, 'Not yet').waitFor();
  assert.equal(await shown(), '');
  await page.getByRole('button', { name: 'Notify me of new mail' }).click();
  await deliverOne(program, { to: user.address, subject: 'Told' });
  await until(async () => (await shown()) === 'Told');
});
