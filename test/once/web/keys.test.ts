import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

let user: User;
let ids: number[];
beforeEach(async () => {
  user = await createUser(program);
  ids = [];
  for (const subject of ['One', 'Two', 'Three']) {
    ids.push(await deliverOne(program, { to: user.address, subject }));
  }
});
const message = (id: number | undefined) => ok(user.api.get(`/api/messages/${id}`));
/** Returns the text of the row that the list reports as active to screen readers. */
const activeSubject = (page: Page) =>
  page.evaluate(() => {
    const id = document.querySelector('[role=listbox]')?.getAttribute('aria-activedescendant');
    return document.getElementById(id ?? '')?.querySelector('.row-subject')?.textContent;
  });
/** Clicks into an email's frame, and waits until the page has lost the focus to it and taken it back. */
const focusComesBack = async (page: Page, click: () => Promise<void>) => {
  await page.evaluate(() =>
    addEventListener('blur', () => Object.assign(window, { name: 'blurred' }), { once: true }),
  );
  await click();
  await until(() =>
    page.evaluate(() => window.name === 'blurred' && document.activeElement?.localName !== 'iframe'),
  );
  await page.evaluate(() => Object.assign(window, { name: '' }));
};

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

test('a mail is found, read, flagged, marked and deleted by keys alone', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Three');
  await press(page, 'j', 'j');
  await until(async () => (await activeSubject(page)) === 'Two');
  await press(page, 'k');
  await until(async () => (await activeSubject(page)) === 'Three');
  await press(page, 'j', 'Enter');
  await page.waitForURL(new RegExp(`/mail/all/${ids[1]}$`));
  await until(async () => (await message(ids[1])).is_read);
  await press(page, 'u');
  await until(async () => !(await message(ids[1])).is_read);
  await press(page, 'f');
  await until(async () => (await message(ids[1])).is_flagged);
  // The key j opens the next message in place of the open one, and adds no history entry.
  await press(page, 'j');
  await page.waitForURL(new RegExp(`/mail/all/${ids[0]}$`));
  await page.goBack();
  await page.waitForURL(/\/mail\/all$|\/$/);
  await press(page, 'k', '#');
  await until(async () => (await subjects(page)).length === 2);
  await press(page, 'x', 'K');
  await page.getByText('2 selected').waitFor();
  await press(page, 'Escape');
  await page.getByText('2 selected').waitFor({ state: 'detached' });
  assert.deepEqual(page.errors, []);
});

test('two keys in a row go somewhere, and ? lists them all', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Three');
  // Mailboxes load at the same time as the list. Keys that go to a mailbox need them.
  await page.getByRole('treeitem', { name: 'Inbox 3 unread' }).waitFor();
  await press(page, 'g', 'i');
  await page.waitForURL(new RegExp(`/mail/${user.account.id}/${user.inbox}$`));
  await press(page, 'g', 't');
  await page.getByRole('heading', { name: 'Trash' }).waitFor();
  await press(page, 'g', 'a');
  await page.getByRole('heading', { name: 'All mail' }).waitFor();
  await press(page, '?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Go to the inbox').waitFor();
  // An open dialog receives all keys.
  await press(page, 'j');
  assert.equal(await activeSubject(page), undefined);
  await press(page, 'Escape');
  await help.waitFor({ state: 'detached' });
  await press(page, '/', 'j');
  assert.equal(await page.getByRole('combobox', { name: 'Search' }).inputValue(), 'j');
});

test('unread counts fall when a deletion begins, and rise when it is undone', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Three');
  await page.getByRole('treeitem', { name: 'Inbox 3 unread' }).waitFor();
  await press(page, 'j', '#');
  await page.getByRole('treeitem', { name: 'Inbox 2 unread' }).waitFor();
  await page.getByRole('treeitem', { name: 'All mail 2 unread' }).waitFor();
  await press(page, 'z');
  await page.getByRole('treeitem', { name: 'Inbox 3 unread' }).waitFor();
  assert.deepEqual(page.errors, []);
});

test('keys lead into the open message, to Manage and back, and copy the newest code', async () => {
  await deliverOne(program, { to: user.address, subject: 'Code', text: 'Your code is 493817.' });
  const permissions = ['clipboard-read', 'clipboard-write'];
  await using page = await openPage(program, user, '/', { permissions });
  await liveRow(page, 'Code');
  await press(page, 'c');
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === '493817');
  await press(page, 'j', 'Enter');
  await page.getByRole('tab', { name: 'Headers' }).waitFor();
  await press(page, 'g', 'o', 'ArrowRight');
  await page.getByRole('tab', { name: 'Headers', selected: true }).waitFor();
  await press(page, 'g', 'x');
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
  // The list's keys do nothing here.
  await press(page, 'e', 'g', 'a');
  await liveRow(page, 'Code');
});

test('the list is a listbox that keeps the focus and names its row', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Three');
  const list = page.getByRole('listbox', { name: 'Messages' });
  await list.focus();
  assert.equal(await activeSubject(page), 'Three');
  await press(page, 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  const row = page.getByRole('option', { selected: true }).first();
  assert.equal(await row.getAttribute('aria-setsize'), '3');
  assert.equal(await row.getAttribute('aria-posinset'), '2');
  await press(page, 'Home', 'End');
  await until(async () => (await activeSubject(page)) === 'One');
  assert.ok(await list.evaluate((element) => element === document.activeElement));
});

test('keys go on working after a click into the message, which still scrolls and can be copied from', async () => {
  const text = Array.from({ length: 200 }, (_, i) => `<p>Line ${i} of a long mail</p>`).join('');
  const id = await deliverOne(program, { to: user.address, subject: 'Long', html: text });
  await using page = await openPage(program, user, '/', { permissions: ['clipboard-read'] });
  await liveRow(page, 'Long');
  await rowOf(page, 'Long').click();
  const frame = page.frameLocator('iframe.message-frame');
  const line = frame.getByText('Line 3 of a long mail');
  // Keys scroll the email from the list. They select nothing, and the list keeps the focus.
  const top = async () => (await line.boundingBox())?.y ?? 0;
  await line.waitFor();
  const before = await top();
  for (const [down, up] of [
    ['Space', 'Shift+Space'],
    ['PageDown', 'PageUp'],
  ] as const) {
    await press(page, down, down);
    await until(async () => (await top()) < -500);
    await press(page, up, up, up);
    await until(async () => (await top()) === before);
  }
  assert.equal(await page.getByText('1 selected').count(), 0);
  await focusComesBack(page, () => line.dblclick());
  await press(page, 'Control+a', 'Control+c');
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())).includes('Line 150'));
  await until(() => page.evaluate(() => document.activeElement?.localName !== 'iframe'));
  await page.mouse.wheel(0, 1500);
  await until(async () => ((await line.boundingBox())?.y ?? 0) < 0);
  await focusComesBack(page, () => frame.locator('body').click());
  await press(page, 'f');
  await until(async () => (await message(id)).is_flagged);
  await press(page, 'j');
  await page.waitForURL(new RegExp(`/${ids[2]}$`));
});

test('rows that are not neighbours are selected by keys, with and without an open message', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Three');
  const chosen = () => page.locator('.row.selected .row-subject').allTextContents();
  await press(page, 'j', 'x', 'j', 'j', 'x');
  await page.getByText('2 selected').waitFor();
  assert.deepEqual((await chosen()).toSorted(), ['One', 'Three']);
  await press(page, 'Escape');
  assert.deepEqual(await chosen(), []);
  await press(page, 'k', 'k', 'Enter');
  await page.waitForURL(/\/mail\/all\/\d+$/);
  const { href } = new URL(page.url());
  await press(page, 'x', 'j', 'j', 'x');
  await page.getByText('2 selected').waitFor();
  assert.equal(page.url(), href);
  await press(page, 'Escape', 'k');
  await until(() => page.url() !== href);
});
