import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { pathOf, share } from '#test/support/program/shares.ts';
import { createTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const html =
  '<h1>Hello</h1><p>Your code is <b>493817</b>.</p><a href="https://app.example/verify" target="_top">Verify</a><script>top.location="https://spy.example"</script>';
const attachments = [{ filename: 'a.txt', content: 'text' }];
const mail = { to: user.address, subject: 'Your code', text: 'Code 493817', html, attachments };
const message = await deliverOne(program, mail);

test('a message is shared from its view, and whoever has the link reads it', async () => {
  await using page = await openPage(program, user, `/mail/all/${message}`);
  await page.getByRole('button', { name: 'Share this message' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this message' });
  const create = dialog.getByRole('button', { name: 'Create link' });
  assert.ok(await create.evaluate((button) => button === document.activeElement));
  await dialog.getByLabel('The link expires').selectOption('In 1 day');
  await create.click();
  const url = (await dialog.locator('code', { hasText: '/s/' }).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Copy the link' }).and(page.locator(':focus')).waitFor();
  await using shown = await openPage(program, null, pathOf({ url }));
  await shown.getByRole('heading', { name: 'Your code' }).waitFor();
  assert.equal(await shown.title(), 'Your code · Sandpost');
  await shown.frameLocator('iframe').getByText('Your code is').waitFor();
  await shown.getByText('493817').first().waitFor();
  // The email's link does not replace the page. Its target learns neither the address nor the window that it was opened from.
  const referrers: (string | undefined)[] = [];
  await shown.context().route('https://app.example/**', (route) => {
    referrers.push(route.request().headers().referer);
    return route.fulfill({ contentType: 'text/html', body: '<h1>Verified</h1>' });
  });
  const [opened] = await Promise.all([
    shown.context().waitForEvent('page'),
    shown.frameLocator('iframe').getByText('Verify').click(),
  ]);
  await opened.getByRole('heading', { name: 'Verified' }).waitFor();
  assert.equal(await opened.evaluate('opener === null && document.referrer === ""'), true);
  assert.deepEqual(referrers, [undefined]);
  assert.equal(pathOf({ url: shown.url() }), pathOf({ url }));
});

test('the page of an account gains mail by itself, and keeps the focus', async () => {
  const { path } = await share(user.api, { account_id: user.account.id });
  await using page = await openPage(program, null, path);
  const first = page.getByRole('link', { name: 'Your code' });
  await first.focus();
  await deliverOne(program, { to: user.address, subject: 'Came later' });
  await page.getByRole('link', { name: 'Came later' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Your code');
  await page.getByRole('status').getByText('2 messages').waitFor();
  assert.deepEqual(await page.evaluate(() => document.scripts.length), 1);
});

test('links are listed and revoked, and a team forbids them', async () => {
  await using page = await openPage(program, user, '/manage/accounts');
  await page.locator('.card > summary').first().click();
  await page.getByRole('button', { name: `Share ${user.address}` }).waitFor();
  await page.goto('/manage/shares');
  const revoke = page.getByRole('button', { name: 'Revoke Your code' });
  await revoke.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await revoke.waitFor({ state: 'detached' });
  assert.equal((await ok(user.api.get('/api/shares'))).items.length, 1);
  const team = await createTeam(program, user, 'forbids');
  await page.goto(`/team/${team.id}/manage/team`);
  await page.getByRole('switch', { name: 'Share links' }).click();
  await page.locator('[role=switch][aria-checked=false]').waitFor();
  assert.equal((await team.api.post('/api/shares', { account_id: team.account.id })).status, 403);
  await page.goto(`/team/${team.id}/manage/accounts`);
  await page.locator('.card > summary').first().click();
  await page.getByRole('button', { name: `Delete ${team.address}` }).waitFor();
  assert.equal(await page.getByRole('button', { name: `Share ${team.address}` }).count(), 0);
  assert.deepEqual(page.errors, []);
});
