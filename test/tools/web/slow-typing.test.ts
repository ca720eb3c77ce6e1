import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { createSharedTeam } from '#test/once/web/support/shared-team.ts';
import { liveRow, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user } = await scene();
const team = await createSharedTeam(program, user);
await team.join(await createUser(program), 'viewer');
const folder = `/api/accounts/${user.account.id}/mailboxes`;
await ok(user.api.post(folder, { path: 'Own' }));
const message: number = await deliverOne(program, {
  to: user.address,
  subject: 'Invoice',
  html: '<p>Pay</p>',
});
await deliverOne(program, { to: user.address, subject: 'Other' });

/** Time in ms that each key is held. The search starts within the longest of them, and not within the shortest. */
const holds = [100, 300, 400];

/** Types letters one by one, as slowly as a person who hunts for keys. The field keeps the focus and receives each letter. */
async function typeSlowly(field: Locator, letters: string): Promise<void> {
  const page = field.page();
  await field.focus();
  await page.keyboard.press('End');
  const name = await field.evaluate((element: HTMLInputElement) =>
    [element.labels?.[0]?.textContent, element.ariaLabel, element.name].filter(Boolean).join(' '),
  );
  let wanted = await field.inputValue();
  for (const [index, letter] of [...letters].entries()) {
    await page.keyboard.press(letter, { delay: holds[index % holds.length] ?? 0 });
    wanted += letter;
    const state = await field.evaluate((element: HTMLInputElement) => ({
      focus: element === document.activeElement,
      value: element.value,
    }));
    assert.deepEqual(state, { focus: true, value: wanted }, `${name}: after ${letter}`);
  }
}

type View = { name: string; path: string; stranger?: true; ready?(page: Page): Promise<unknown> };

const click = (role: 'button' | 'tab', name: string | RegExp) => (page: Page) =>
  page.getByRole(role, { name }).first().click();
const choose = (text: string) => (page: Page) => page.getByText(text, { exact: true }).first().click();

const views: View[] = [
  { name: 'sign-in', path: '/', stranger: true },
  { name: 'sign-in by key', path: '/', stranger: true, ready: choose('API key') },
  { name: 'registering', path: '/', stranger: true, ready: choose('Register') },
  { name: 'a new domain', path: '/manage/domains', ready: click('button', 'New domain') },
  {
    name: 'deleting a domain',
    path: '/manage/domains',
    async ready(page) {
      await page.locator('.card > summary').first().click();
      await click('button', /^Delete /)(page);
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'a new account', path: '/manage/accounts', ready: click('button', 'New account') },
  { name: 'accounts', path: '/manage/accounts' },
  {
    name: 'a rule of a search',
    path: '/mail/all?q=invoice',
    async ready(page) {
      await click('button', 'Create a rule from this search')(page);
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'a new key', path: '/manage/keys', ready: click('button', 'New API key') },
  { name: 'composing', path: '/manage/compose' },
  { name: 'the team', path: '/manage/team' },
  { name: 'you', path: '/manage/you' },
  { name: 'the list', path: '/mail/all' },
  { name: 'the headers of a message', path: '/mail/all/MESSAGE/headers' },
];

for (const { name, path, stranger, ready } of views) {
  test(`a slow typist fills every field: ${name}`, async () => {
    const at = path.replace('MESSAGE', `${message}`);
    const inTeam = name === 'the team' ? `/team/${team.id}` : '';
    await using page = await openPage(program, stranger ? null : user, `${inTeam}${at}`);
    await ready?.(page);
    await page.locator('input, textarea').first().waitFor({ state: 'attached' });
    const within = (await page.getByRole('dialog').count()) > 0 ? page.getByRole('dialog') : page;
    // An unchanged role has no button and no command beside it.
    for (const one of within === page ? await page.locator('summary').all() : [])
      if (await one.isVisible()) await one.click();
    const typed = ['text', 'search', 'email', 'password'].map((type) => `input[type=${type}]`);
    const fields = within.locator([...typed, 'textarea'].join()).filter({ visible: true });
    const count = await fields.count();
    assert.ok(count > 0);
    // Last field first: a search, which precedes a message, closes the message together with its fields.
    for (let index = count - 1; index >= 0; index--) {
      if (await fields.nth(index).isEditable()) await typeSlowly(fields.nth(index), 'feu');
    }
  });
}

test('the first step: a slow typist names the domain', async () => {
  const other = await createUser(program);
  await ok(other.api.delete(`/api/domains/${other.domain.id}`));
  await using page = await openPage(program, other);
  await page.getByRole('button', { name: /^Create qa@./ }).waitFor();
  await typeSlowly(page.getByLabel('Domain'), 'feu');
});

test('a slow search keeps its letters and spaces, and no letter is taken for a shortcut', async () => {
  const reader = await createUser(program);
  const id = await deliverOne(program, { to: reader.address, subject: 'Use a few words' });
  await deliverOne(program, { to: reader.address, subject: 'Another' });
  await using page = await openPage(program, reader, `/mail/all/${id}`);
  await liveRow(page, 'Another');
  await page.keyboard.press('/');
  const box = page.getByRole('combobox', { name: 'Search' });
  await typeSlowly(box, 'use few');
  await until(async () => (await subjects(page)).join() === 'Use a few words');
  await until(() => new URL(page.url()).search === '?q=use%20few');
  await box.fill('');
  await typeSlowly(box, 'zeuftm');
  await page.getByText('Nothing matches.').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal(await page.getByText(/deleted/).count(), 0);
  await page.goto('about:blank');
  const { items } = await ok(reader.api.get('/api/messages'));
  assert.deepEqual(
    items.map((item: { subject: string; is_flagged: boolean }) => [item.subject, item.is_flagged]),
    [
      ['Another', false],
      ['Use a few words', false],
    ],
  );
});

test('a button of the filter keeps the focus when it is pressed by keyboard', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Other');
  for (const name of ['Only unread', 'Only flagged', 'Only with attachments']) {
    const button = page.getByRole('button', { name });
    await button.press('Enter');
    await page
      .locator('[aria-pressed=true]', { has: page.locator(`xpath=self::*[@aria-label="${name}"]`) })
      .waitFor();
    await page.locator('.list[aria-busy=false]').waitFor();
    assert.ok(await button.evaluate((element) => element === document.activeElement), name);
    await button.press('Enter');
    await rowOf(page, 'Other').waitFor();
    assert.ok(await button.evaluate((element) => element === document.activeElement), name);
  }
});
