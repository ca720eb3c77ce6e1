import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user } = await startMailProgram();

test('tags are seen in the list and the message, put on and taken off', async () => {
  const raw = `From: a@example.com\r\nTo: ${user.address}\r\nSubject: Tagged\r\nX-Tags: smoke, run 7\r\n\r\nHi\r\n`;
  const id = await deliverOne(program, { to: user.address, raw });
  const saved = async () => (await ok(user.api.get(`/api/messages/${id}`))).tags.join();
  await using page = await openPage(program, user);
  await liveRow(page, 'Tagged');
  const labels = () => rowOf(page, 'Tagged').locator('.tag').allTextContents();
  assert.deepEqual(await labels(), ['tag smoke', 'tag run 7']);
  await rowOf(page, 'Tagged').click();
  const tags = page.getByRole('list', { name: 'Tags' });
  await tags.getByText('smoke').waitFor();

  const add = page
    .getByRole('region', { name: 'Message', exact: true })
    .getByRole('button', { name: 'Tag', exact: true });
  await add.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Tag' });
  await dialog.getByRole('combobox', { name: 'Tag' }).pressSequentially('feu e', { delay: 150 });
  await page.keyboard.press('Enter', { delay: 100 });
  await until(async () => (await saved()) === 'smoke,run 7,feu e');
  await tags.getByText('feu e').waitFor();

  await tags.getByRole('button', { name: 'Remove the tag run 7' }).press('Enter');
  await until(async () => (await saved()) === 'smoke,feu e');
  await until(async () => (await labels()).join() === 'tag smoke,tag feu e');
  assert.ok(await add.evaluate((element) => element === document.activeElement));
  const shelf = page.getByRole('region', { name: 'Tags' });
  await shelf.getByRole('link', { name: 'feu e 1' }).click();
  await page.waitForURL(/\?q=tag%3A%22feu%20e%22$/);
  await liveRow(page, 'Tagged');
  await page.reload();
  await shelf.getByRole('link', { name: 'feu e 1' }).waitFor();
  assert.deepEqual(page.errors, []);
});

test('selected messages get a tag, and lose it, at once', async () => {
  const user = await createUser(program);
  const ids: number[] = [];
  for (const subject of ['One', 'Two', 'Three'])
    ids.push(await deliverOne(program, { to: user.address, subject }));
  const saved = () =>
    Promise.all(ids.map(async (id) => (await ok(user.api.get(`/api/messages/${id}`))).tags.join()));
  await using page = await openPage(program, user);
  await liveRow(page, 'One');
  await rowOf(page, 'Three').click();
  const head = page.getByRole('article').getByRole('list', { name: 'Tags' });
  await page.getByRole('article', { name: 'Three' }).waitFor();
  await rowOf(page, 'Two').click({ modifiers: ['Control'] });
  await page.keyboard.press('l', { delay: 100 });
  const dialog = page.getByRole('dialog', { name: 'Tag 2 messages' });
  const field = dialog.getByRole('combobox', { name: 'Tag' });
  await field.pressSequentially('smoke ', { delay: 150 });
  await field.press('Enter', { delay: 100 });
  await page.getByText('Added “smoke” to 2 messages').waitFor();
  assert.deepEqual(await saved(), ['', 'smoke', 'smoke']);
  // The row, the open message and the shelf follow.
  await rowOf(page, 'Two').locator('.tag', { hasText: 'smoke' }).waitFor();
  await head.getByText('smoke').waitFor();
  await page.getByRole('region', { name: 'Tags' }).getByRole('link', { name: 'smoke 2' }).waitFor();

  await page.getByRole('button', { name: 'Tag', exact: true }).first().click();
  await field.fill('smoke');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await until(async () => (await saved()).join('') === '');
  await until(async () => (await head.count()) === 0);
  assert.deepEqual(page.errors, []);
});
