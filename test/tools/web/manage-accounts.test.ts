import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

/** Opens an account's card. */
async function openCard(page: Page, address: string): Promise<Locator> {
  const card = page.getByRole('listitem').filter({ has: page.getByText(address, { exact: true }) });
  await card.getByText(address, { exact: true }).click();
  return card;
}

test('an account is made, and the API says what is wrong with one', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/accounts');
  await page.getByRole('button', { name: 'New account' }).click();
  await page.getByRole('textbox', { name: 'Address' }).fill('qa@elsewhere.test');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.locator('[name=address][aria-invalid=true]').waitFor();
  await page.getByRole('textbox', { name: 'Address' }).fill(`*@${user.domain.domain}`);
  await page.getByRole('button', { name: 'Create account' }).click();
  const card = await openCard(page, `*@${user.domain.domain}`);
  await card.getByText('catch-all', { exact: true }).waitFor();
});

test('an account shows how full it is, and its limit and password are set', async () => {
  const user = await createUser(program, { storage_limit: 4 * 2 ** 20 });
  await deliver(program, { to: user.address, text: 'x'.repeat(70).concat('\r\n').repeat(45_000) });
  await using at = await openPage(program, user, '/manage/accounts');
  const card = await openCard(at, user.address);
  await card.getByText(/^3(\.\d)? MiB of 4 MiB$/).waitFor();
  const meter = card.getByRole('meter', { name: `Storage of ${user.address}` });
  const value = Number(await meter.getAttribute('value'));
  assert.ok(value > 0.7 && value < 0.9, `${value}`);
  await card.getByLabel('Storage limit, MiB').fill('8');
  await card.getByRole('button', { name: 'Set storage limit' }).click();
  await card.getByText(/ of 8 MiB$/).waitFor();
  await card.getByLabel('New account password').fill('short');
  await card.getByRole('button', { name: 'Set password' }).click();
  await card.getByText('must have 8 to 256 characters').waitFor();
  await card.getByLabel('New account password').fill('long enough');
  await card.getByRole('button', { name: 'Set password' }).click();
  await card.getByText('Password set.').waitFor();
});

test('an account is switched off, made a catch-all, and deleted by its typed name', async () => {
  const user = await createUser(program);
  const read = () => user.api.get(`/api/accounts/${user.account.id}`);
  await using at = await openPage(program, user, '/manage/accounts');
  const card = await openCard(at, user.address);
  await card.getByRole('switch', { name: 'Active' }).click();
  await card.getByText('inactive', { exact: true }).waitFor();
  await card.getByRole('switch', { name: 'Catch-all' }).click();
  await card.getByText('catch-all', { exact: true }).waitFor();
  const { is_active, is_catch_all } = await ok(read());
  assert.deepEqual({ is_active, is_catch_all }, { is_active: false, is_catch_all: true });
  await card.getByRole('button', { name: `Delete ${user.address}` }).click();
  await at.getByLabel(`Type ${user.address} to confirm`).fill(user.address);
  await at.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await at.getByText('No accounts yet.').waitFor();
  assert.equal((await read()).status, 404);
});

test('mailboxes are made, renamed and deleted; the five of the system are fixed', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/accounts');
  const card = await openCard(page, user.address);
  const row = (path: string) =>
    card.getByRole('listitem').filter({ has: page.getByText(path, { exact: true }) });
  await card.getByLabel('New mailbox').fill('inbox');
  await card.getByRole('button', { name: 'Add mailbox' }).click();
  await card.locator('[name=path][aria-invalid=true]').waitFor();
  await card.getByLabel('New mailbox').fill('Archive/2026');
  await card.getByRole('button', { name: 'Add mailbox' }).click();
  await row('Archive/2026').getByRole('button', { name: 'Rename Archive/2026' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rename Archive/2026' });
  await dialog.getByLabel('New name').fill('Archive/2027');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await row('Archive/2027').getByRole('button', { name: 'Delete Archive/2027' }).click();
  await page.getByLabel('Type Archive/2027 to confirm').fill('Archive/2027');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await row('Archive/2027').waitFor({ state: 'detached' });
  for (const path of ['INBOX', 'Sent', 'Trash', 'Drafts', 'Junk']) {
    assert.equal(await row(path).getByRole('button').count(), 0, path);
  }
  const list = await ok(user.api.get(`/api/accounts/${user.account.id}/mailboxes`));
  assert.equal(list.items.length, 5);
});

test('a thousand accounts are shown a few at once, and found by a part of their name', async () => {
  const user = await createUser(program);
  const { domain } = user.domain;
  for (let batch = 0; batch < 20; batch += 1) {
    const make = (index: number) => ok(user.api.post('/api/accounts', { address: `u${index}@${domain}` }));
    await Promise.all(Array.from({ length: 50 }, (_, index) => make(batch * 50 + index)));
  }
  await using page = await openPage(program, user, '/manage/accounts');
  const cards = page.getByRole('list', { name: 'accounts' }).getByRole('listitem');
  await page.getByText('Show more (951 left)').click();
  await page.getByText('Show more (901 left)').waitFor();
  await page.getByLabel('Filter accounts').fill('u77');
  await page.getByText(`u777@${domain}`).waitFor();
  await until(async () => (await cards.count()) === 11);
});
