import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { inPage } from '#test/once/web/support/browser.ts';
import { openPage, rowOf } from '#test/once/web/support/web-page.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';

let mail: MailProgram;
let path: string;
before(async () => {
  mail = await startMailProgram();
  const id = await deliverOne(mail.program, {
    to: mail.user.address,
    subject: 'Many parts',
    text: 'Your code is 493817. https://shop.example/verify?t=1',
    html: '<p>Your code is 493817.</p>',
    attachments: [{ filename: 'a.txt', content: 'text' }],
  });
  path = `/mail/all/${id}`;
});
after(() => mail.stop());

const parts = ['HTML', 'Text', 'Headers', 'Source', 'Attachments', 'Checks', 'Codes and links', 'Structure'];
const more = (page: Page) => page.getByRole('button', { name: 'More' });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
const names = async (page: Page, role: 'tab' | 'menuitem') =>
  (await page.getByRole(role).allTextContents()).map((text) => text.replace(/\s*\d*$/, ''));

/** Returns the tabs and the button of the menu that reach out of the row or of the window. */
const cutOff = (page: Page) =>
  page.locator('.tabs').evaluate((row) => {
    const right = Math.min(row.getBoundingClientRect().right, innerWidth);
    return [...row.querySelectorAll('[role=tab], .more-tabs')]
      .filter((part) => getComputedStyle(part).visibility === 'visible')
      .filter((part) => part.getBoundingClientRect().right > right)
      .map((part) => part.textContent);
  });

for (const width of [1024, 390, 320]) {
  test(`every part is in reach in a window of ${width} px`, inPage, async () => {
    await using page = await openPage(mail.program, mail.user, path, { viewport: { width, height: 800 } });
    await more(page).click();
    await page.getByRole('menu').waitFor();
    assert.deepEqual([...(await names(page, 'tab')), ...(await names(page, 'menuitem'))], parts);
    assert.deepEqual(await cutOff(page), []);
    await page.getByRole('menuitem', { name: 'Structure' }).click();
    await page.getByRole('tabpanel', { name: 'Structure' }).waitFor();
    await page.getByRole('tab', { name: 'Structure', selected: true }).waitFor();
    assert.equal(await focused(page), 'Structure');
    assert.deepEqual(await cutOff(page), []);
    assert.deepEqual(page.errors, []);
  });
}

test('the menu of the tabs is used by keys, which do nothing else meanwhile', inPage, async () => {
  await using page = await openPage(mail.program, mail.user, path, {
    viewport: { width: 720, height: 800 },
  });
  await page.locator('.connection.open').waitFor({ state: 'attached' });
  await more(page).focus();
  assert.equal(await more(page).getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('ArrowDown');
  await until(async () => (await focused(page)).startsWith('Attachments'));
  assert.equal(await more(page).getAttribute('aria-expanded'), 'true');
  // "e" deletes a message, and Escape closes it, where no menu is open.
  await page.keyboard.press('e');
  await page.keyboard.press('End');
  assert.equal(await focused(page), 'Structure');
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /^Attachments/);
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(page), 'Structure');
  await page.keyboard.press('Home');
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  assert.equal(await focused(page), 'More');
  assert.equal(new URL(page.url()).pathname, path);
  assert.equal(await page.getByText('Message deleted').count(), 0);
  await page.keyboard.press('Enter');
  await until(async () => (await focused(page)).startsWith('Attachments'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('tabpanel', { name: /^Checks/ }).waitFor();
  await until(async () => (await focused(page)).startsWith('Checks'));
});

test('the arrow keys go through all tabs, those of the menu too', inPage, async () => {
  await using page = await openPage(mail.program, mail.user, path, {
    viewport: { width: 390, height: 800 },
  });
  await page.getByRole('tab', { name: 'HTML' }).focus();
  for (const part of [...parts.slice(1), 'HTML']) {
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: part, selected: true }).waitFor();
    await until(async () => (await focused(page)).startsWith(part));
    assert.deepEqual(await cutOff(page), []);
  }
});

test('a wide window has all tabs in a row, and no menu', inPage, async () => {
  await using page = await openPage(mail.program, mail.user, path, {
    viewport: { width: 1440, height: 900 },
  });
  await page.getByRole('tab', { name: 'Structure' }).waitFor();
  assert.deepEqual(await names(page, 'tab'), parts);
  assert.equal(await more(page).count(), 0);
  await page.setViewportSize({ width: 1024, height: 800 });
  await more(page).waitFor();
  assert.deepEqual(await cutOff(page), []);
});

for (const [width, height] of [
  [1440, 900],
  [1024, 700],
  [390, 700],
] as const) {
  test(`the window scrolls on no tab at ${width} px, and results have all their words`, inPage, async () => {
    await using page = await openPage(mail.program, mail.user, path, { viewport: { width, height } });
    for (const tab of ['html', 'text', 'headers', 'source', 'attachments', 'codes', 'structure', 'checks']) {
      await page.goto(`${path}/${tab}`);
      await page.locator(`.tab-panel.tab-${tab} > *`).first().waitFor();
      await page.locator('.connection.open').waitFor({ state: 'attached' });
      const size = await page.evaluate(() => {
        const { scrollHeight, scrollWidth } = document.documentElement;
        return { scrollHeight, scrollWidth };
      });
      assert.deepEqual(size, { scrollHeight: height, scrollWidth: width }, tab);
    }
    const cut = await page.locator('.checks').evaluate((all) => all.scrollWidth - all.clientWidth);
    assert.equal(cut, 0);
    assert.deepEqual(page.errors, []);
  });
}

test('a message that is not there has no buttons, and no keys', inPage, async () => {
  await using page = await openPage(mail.program, mail.user, '/mail/all/99999');
  await page.getByText('This message was deleted or has expired.').waitFor();
  await rowOf(page, 'Many parts').waitFor();
  for (const key of ['e', 'u', 'f', 'm', 't', 'c', 'j']) {
    const actions = page.getByRole('region', { name: 'Message', exact: true }).getByRole('toolbar');
    assert.equal(await actions.count(), 0);
    await page.keyboard.press(key);
  }
  // The key j opens the first message: all keys before it have been acted on.
  await page.waitForURL(new RegExp(`${path}$`));
  await page.getByRole('heading', { name: 'Many parts' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor();
  assert.equal(await page.getByText('deleted').count(), 0);
  assert.equal(await page.getByRole('dialog').count(), 0);
});
