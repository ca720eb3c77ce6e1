import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
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

const tabs = ['HTML', 'Text', 'Headers', 'Checks', 'Source'];
const names = async (page: Page) =>
  (await page.getByRole('tab').allTextContents()).map((text) => text.replace(/\s*\d*$/, ''));

for (const width of [1440, 1024, 390, 320]) {
  test(`every tab is in reach in a window of ${width} px, by the arrow keys too`, async () => {
    await using page = await openPage(mail.program, mail.user, path, { viewport: { width, height: 800 } });
    await page.getByRole('tab', { name: 'HTML' }).focus();
    assert.deepEqual(await names(page), tabs);
    for (const part of [...tabs.slice(1), 'HTML']) {
      await page.keyboard.press('ArrowRight');
      const tab = page.getByRole('tab', { name: part, selected: true });
      await tab.waitFor();
      assert.ok(await tab.evaluate((element) => element === document.activeElement));
      const { x = -1, width: wide = 0 } = (await tab.boundingBox()) ?? {};
      assert.ok(x >= 0 && x + wide <= width, `${part} is at ${x}`);
    }
    assert.deepEqual(page.errors, []);
  });
}

const formerTabs = {
  attachments: 'Structure and attachments',
  structure: 'Structure and attachments',
  transcript: 'Transcript',
};
for (const [part, name] of Object.entries(formerTabs)) {
  test(`a URL of the former tab “${part}” shows its part of the source`, async () => {
    await using page = await openPage(mail.program, mail.user, `${path}/${part}`);
    await page.getByRole('tab', { name: 'Source', selected: true }).waitFor();
    await page.getByRole('radio', { name, checked: true }).waitFor({ state: 'attached' });
    await page.getByRole('radio', { name: 'Message' }).check({ force: true });
    await page.waitForURL(`**${path}/source`);
    await page.locator('.source').getByText('Subject: Many parts').waitFor();
  });
}

for (const [width, height] of [
  [1440, 900],
  [1024, 700],
  [390, 700],
] as const) {
  test(`the window scrolls on no tab at ${width} px, and results have all their words`, async () => {
    await using page = await openPage(mail.program, mail.user, path, { viewport: { width, height } });
    for (const tab of ['html', 'text', 'headers', 'source', 'structure', 'transcript', 'codes', 'checks']) {
      await page.goto(`${path}/${tab}`);
      await page.locator('.tab-panel > *').first().waitFor();
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

test('the arrow keys move through the parts of a tab and back, and keep the focus', async () => {
  await using page = await openPage(mail.program, mail.user, path);
  for (const [tab = '', first = '', ...parts] of [
    ['HTML', 'Preview', 'With text', 'Source'],
    ['Source', 'Message', 'Structure and attachments', 'Transcript'],
  ]) {
    await page.getByRole('tab', { name: tab }).click();
    const radio = (name: string) => page.getByRole('radio', { name, exact: true });
    const isAt = (name: string) => until(() => radio(name).evaluate((one) => one.matches(':focus:checked')));
    await radio(first).waitFor();
    await page.keyboard.press('Tab');
    // The panel itself is first, except around a frame.
    if (tab !== 'HTML') await page.keyboard.press('Tab');
    await isAt(first);
    for (const [key, names] of [
      ['ArrowRight', parts],
      ['ArrowLeft', [first, ...parts].toReversed().slice(1)],
    ] as const) {
      for (const name of names) {
        await page.keyboard.press(key);
        await isAt(name);
      }
    }
  }
});

test('the way back leaves the mail, whichever parts of it were shown', async () => {
  await using page = await openPage(mail.program, mail.user, '/mail/all');
  await rowOf(page, 'Many parts').click();
  for (const name of ['Text', 'Checks', 'Source', 'HTML']) {
    await page.getByRole('tab', { name }).click();
    await page.getByRole('tab', { name, selected: true }).waitFor();
  }
  await page.getByRole('button', { name: '1 attachment' }).click();
  await page.waitForURL('**/structure');
  await page.getByRole('button', { name: '1 link' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL('**/structure');
  await page.goBack();
  await page.waitForURL('**/mail/all');
  await page.goForward();
  await page.waitForURL('**/structure');
  // Opening a settings page adds a history entry.
  await page.keyboard.press('g');
  await page.keyboard.press('x');
  await page.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name: 'Mail' }).click();
  await page.waitForURL('**/structure');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
});

test('a message that is not there has no buttons, and no keys', async () => {
  await using page = await openPage(mail.program, mail.user, '/mail/all/99999');
  await page.getByText('No message has this number.').waitFor();
  await rowOf(page, 'Many parts').waitFor();
  for (const key of ['e', 'u', 'f', 'm', 't', 'c', 'j']) {
    const actions = page.getByRole('region', { name: 'Message', exact: true }).getByRole('toolbar');
    assert.equal(await actions.count(), 0);
    await page.keyboard.press(key);
  }
  // The key j opens the first message, so all earlier keys have taken effect.
  await page.waitForURL(new RegExp(`${path}$`));
  await page.getByRole('heading', { name: 'Many parts' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor();
  assert.equal(await page.getByText(/deleted/).count(), 0);
  assert.equal(await page.getByRole('dialog').count(), 0);
});

for (const width of [1440, 1024, 390]) {
  test(`a mail begins in the upper quarter of a window of ${width} px`, async () => {
    const to = mail.user.address;
    const html = '<p>Your code is 493817.</p><a href="https://shop.example/verify?t=1">Verify</a>';
    // In a narrower window the button that loads images has its own line.
    const image = width < 1440 ? '' : '<img src="https://images.shop.example/a.png">';
    const id = await deliverOne(mail.program, {
      ...{ to, subject: 'Code, link and attachment', html: html + image },
      attachments: [{ filename: 'receipt.pdf', content: 'pdf' }],
    });
    await using page = await openPage(mail.program, mail.user, `/mail/all/${id}`, {
      viewport: { width, height: 900 },
    });
    await page.locator('.founds .found').nth(1).waitFor();
    const { y = 900 } = (await page.locator('.message-frame').boundingBox()) ?? {};
    assert.ok(y < 240, `${y}`);
    // Action names appear beside their icons, or below them on a phone.
    if (width !== 1024) await page.getByRole('toolbar', { name: 'Actions' }).getByText('Delete').waitFor();
    const reader = page.locator('.pane-message');
    assert.equal(await reader.evaluate((pane) => pane.scrollWidth - pane.clientWidth), 0);
    for (const button of await reader.locator('.bar button:visible').all()) {
      const { x = -1, width: its = 0 } = (await button.boundingBox()) ?? {};
      assert.ok(x + its <= width, `${await button.textContent()} is cut`);
    }
  });
}
