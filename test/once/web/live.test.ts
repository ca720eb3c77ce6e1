import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

test('mail slides in by itself, while focus, place and open message stay', async (t) => {
  const user = await createUser(program);
  const old = Array.from({ length: 16 }, (_, i) => ({ to: user.address, subject: `Old ${i}` }));
  await Promise.all(old.map((mail) => deliverOne(program, mail)));
  await using page = await openPage(program, user, '/', { viewport: { width: 1200, height: 500 } });
  await liveRow(page, 'Old');
  await page.locator('.list').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/mail\/all\/\d+$/);
  const url = page.url();
  await page.locator('.list').evaluate((list) => {
    list.scrollTop = 300;
  });
  const topRow = () =>
    page.locator('.list').evaluate((list) => {
      const { left, top } = list.getBoundingClientRect();
      const row = document.elementFromPoint(left + 40, top + 5)?.closest('[role=option]');
      return `${row?.id} ${Math.round((row?.getBoundingClientRect().top ?? 0) - top)}`;
    });
  const seen = await topRow();

  const sent = performance.now();
  await deliverOne(program, { to: user.address, subject: 'Brand new' });
  await page.locator('.list-head', { hasText: '17' }).waitFor();
  t.diagnostic(`listed ${Math.round(performance.now() - sent)} ms after sending began`);

  assert.equal(await topRow(), seen);
  assert.equal(page.url(), url);
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'list');
  await page.getByRole('log').getByText('Brand new').waitFor({ state: 'attached' });
  await page.locator('.list').evaluate((list) => {
    list.scrollTop = 0;
  });
  await rowOf(page, 'Brand new').waitFor();
  assert.equal((await subjects(page))[0], 'Brand new');
  assert.deepEqual(page.errors, []);
});

test('two tabs agree on what is read, flagged, deleted and unread', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Keep' });
  const id = await deliverOne(program, { to: user.address, subject: 'Both' });
  await using first = await openPage(program, user);
  const second = await first.context().newPage();
  await second.goto('/');
  await Promise.all([liveRow(first, 'Both'), liveRow(second, 'Both')]);
  await until(async () => (await second.title()) === '(2) Sandpost');

  await rowOf(first, 'Both').click();
  await first.keyboard.press('f');
  await second.locator('.row:not(.unread) .row-flag').waitFor();
  await until(async () => (await second.title()) === '(1) Sandpost');

  await second.goto(`/mail/all/${id}`);
  await liveRow(second, 'Both');
  await ok(user.api.delete(`/api/messages/${id}`));
  for (const page of [first, second]) {
    await rowOf(page, 'Both').waitFor({ state: 'detached' });
    await page.waitForURL(/\/mail\/all$/);
    assert.deepEqual(await subjects(page), ['Keep']);
  }
});

test('a lost connection is shown, and missed mail and the open message appear after it', async () => {
  const dataDir = await temporaryDir();
  const before = await startProgram({ SANDPOST_DATA_DIR: dataDir });
  const user = await createUser(before);
  await deliverOne(before, { to: user.address, subject: 'Before' });
  await using page = await openPage(before, user);
  await liveRow(page, 'Before');
  await before.stop();
  await page.locator('.connection.lost').waitFor();
  const bar = page.getByRole('status').filter({ hasText: 'Connection lost.' });
  await bar.waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await page.getByText("Not deleted: can't reach Sandpost").waitFor();
  await rowOf(page, 'Before').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.pane-message').getByText("Can't reach Sandpost").waitFor();
  const ports = { SANDPOST_HTTP_PORT: String(before.httpPort) };
  await using again = await startProgram({ SANDPOST_DATA_DIR: dataDir, ...ports });
  await deliverOne(again, { to: user.address, subject: 'Missed' });
  await rowOf(page, 'Missed').waitFor();
  await page.locator('.connection.open').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('article', { name: 'Before' }).waitFor();
});

test('a list that lost the network is read again by itself, and keeps the focus', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Before' });
  await using page = await openPage(program, user);
  await liveRow(page, 'Before');
  await page.keyboard.press('j');
  // The browser keeps the open event stream, so the page hears of mail that it cannot read.
  await page.context().setOffline(true);
  await deliverOne(program, { to: user.address, subject: 'Meanwhile' });
  const banner = page.locator('.pane-list').getByRole('alert');
  await banner.getByText("Can't reach Sandpost").waitFor();
  await page.context().setOffline(false);
  await rowOf(page, 'Meanwhile').waitFor();
  await banner.waitFor({ state: 'detached' });
  await until(async () => (await page.title()) === '(2) Sandpost');
  assert.equal(await page.evaluate(() => document.activeElement?.role), 'listbox');
});

test('mail that comes while a list is being read is not missed', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Before' });
  await using page = await openPage(program, user);
  const context = page.context();
  await liveRow(page, 'Before');
  const other = await context.newPage();
  await other.goto('/');
  await liveRow(other, 'Before');
  await page.route('**/mailboxes/*/messages?page=1*', async (route) => {
    const answer = await route.fetch();
    await deliverOne(program, { to: user.address, subject: 'Between' });
    // Once the other page has the row, the event has reached both pages.
    await rowOf(other, 'Between').waitFor();
    await until(async () => (await page.title()) === '(2) Sandpost');
    await route.fulfill({ response: answer });
  });
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await rowOf(page, 'Between').waitFor();
});
