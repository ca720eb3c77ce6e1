import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user } = await scene();
const { address: to } = user;
await deliverOne(program, { to, subject: 'Bare', text: 'Nothing to copy' });
await deliverOne(program, {
  to,
  subject: 'Reset',
  text: 'Reset your password: https://app.example/reset?token=77ab1c',
});
await deliverOne(program, {
  to,
  subject: 'Sign in',
  text: 'Your code is 493817. It is valid for ten minutes.',
});

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).boundingBox();
  assert.ok(box, selector);
  return box;
};

for (const width of [1440, 1024, 390]) {
  for (const tree of [160, 224]) {
    test(`the state of the connection is a whole word at ${width} px, mailboxes ${tree} px`, async () => {
      const viewport = { width, height: 800 };
      await using page = await openPage(program, user, '/api/health', { viewport });
      await page.evaluate((pixels) => localStorage.setItem('sandpost-tree', `${pixels}`), tree);
      for (const [word, answer] of [
        ['Connecting', undefined],
        ['Reconnecting', { status: 503, body: '' }],
      ] as const) {
        await page.route('**/api/events?**', async (route) => {
          if (answer) await route.fulfill(answer);
        });
        await page.goto('/mail/all');
        await rowOf(page, 'Bare').waitFor();
        if (width < 700) await page.getByRole('button', { name: 'Mailboxes', exact: true }).click();
        const state = page.locator('.connection', { hasText: word });
        await state.waitFor();
        const shown = await state.evaluate((element) => {
          const text = document.createRange();
          text.selectNodeContents(element);
          const { left, right, top, bottom } = text.getBoundingClientRect();
          const ends = [left + 1, right - 1].map((x) => document.elementFromPoint(x, (top + bottom) / 2));
          return ends.every((found) => found === element) && element.scrollWidth <= element.clientWidth;
        });
        assert.ok(shown, word);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
    });
  }
}

test('on a phone, the buttons of the list have words that do not touch', async () => {
  await using page = await openPage(program, user, '/mail/all', { viewport: { width: 390, height: 800 } });
  await rowOf(page, 'Bare').waitFor();
  const words = () =>
    page.locator('.list-head button span').evaluateAll((all) => {
      const boxes = all.map((word) => word.getBoundingClientRect());
      const isApart = (a: DOMRect, b: DOMRect) =>
        a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      return {
        said: all.map(({ textContent }) => textContent).join(),
        isWhole: boxes.every(
          (a, at) => a.width > 10 && a.right <= 390 && boxes.slice(at + 1).every((b) => isApart(a, b)),
        ),
      };
    });
  assert.deepEqual(await words(), {
    said: 'Conversations,Unread,Flagged,Attachments,Mark all read,Delete all',
    isWhole: true,
  });
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByRole('toolbar', { name: 'Actions' }).waitFor();
  assert.deepEqual(await words(), { said: 'Read,Flag,Tag,Move,Expiration,Delete,Download', isWhole: true });
});

test('grey rows stand in for a list and a message that are being read', async () => {
  await using page = await openPage(program, user, '/api/health', { reducedMotion: 'reduce' });
  const answering = Promise.withResolvers<void>();
  await page.route(/api\/messages(\?|\/\d+$)/, async (route) => {
    await answering.promise;
    await route.fallback();
  });
  await page.goto('/mail/all/1');
  await page.locator('.list .row.unknown').first().waitFor();
  await page.locator('.grey-lines').waitFor();
  const endless = await page.evaluate(
    () => document.getAnimations().filter((one) => one.effect?.getTiming().iterations === Infinity).length,
  );
  assert.equal(endless, 0);
  answering.resolve();
  await rowOf(page, 'Bare').waitFor();
  await page.locator('.row.unknown').first().waitFor({ state: 'detached' });
  await page.locator('.grey-lines').waitFor({ state: 'detached' });
});

test('a row that has just arrived is tinted for a moment', async () => {
  const reader = await createUser(program);
  await deliverOne(program, { to: reader.address, subject: 'Old' });
  await using page = await openPage(program, reader, '/', { reducedMotion: 'reduce' });
  await liveRow(page, 'Old');
  const colour = (subject: string) =>
    rowOf(page, subject).evaluate((row) => getComputedStyle(row).backgroundColor);
  await deliverOne(program, { to: reader.address, subject: 'New' });
  await page.locator('.row.fresh', { hasText: 'New' }).waitFor();
  assert.notEqual(await colour('New'), await colour('Old'));
  await page.locator('.row.fresh').waitFor({ state: 'detached' });
  await until(async () => (await colour('New')) === (await colour('Old')));
});

for (const width of [1440, 1024]) {
  test(`the list has the room of the message until one is open, at ${width} px`, async () => {
    await using page = await openPage(program, user, '/', { viewport: { width, height: 800 } });
    await liveRow(page, 'Bare');
    assert.equal(Math.round((await boxOf(page, '.pane-list')).width), width - 225);
    await rowOf(page, 'Bare').click();
    await page.getByRole('heading', { name: 'Bare' }).waitFor();
    const list = await boxOf(page, '.pane-list');
    const message = await boxOf(page, '.pane-message');
    assert.ok(list.width <= (width === 1024 ? 300 : 400), `${list.width}`);
    assert.ok(message.width >= 498, `${message.width}`);
    await page.keyboard.press('Escape');
    await until(async () => (await boxOf(page, '.pane-list')).width === width - 225);
  });
}

test('the row that is open stays in sight when the list becomes narrow and wide', async () => {
  const reader = await createUser(program);
  const subjects = Array.from({ length: 60 }, (_, index) => `Mail ${index}`);
  for (const subject of subjects) await deliverOne(program, { to: reader.address, subject });
  await using page = await openPage(program, reader, '/', { viewport: { width: 1200, height: 600 } });
  await liveRow(page, 'Mail 59');
  await page.locator('.list').press('End');
  const visible = async () => {
    const [row, list] = [await boxOf(page, '.row.active'), await boxOf(page, '.list')];
    return row.y >= list.y - 1 && row.y + row.height <= list.y + list.height + 1;
  };
  await rowOf(page, 'Mail 5').last().click();
  await page.getByRole('heading', { name: 'Mail 5', exact: true }).waitFor();
  await until(visible);
  await page.keyboard.press('Escape');
  await page.locator('.list.wide').waitFor();
  await until(visible);
});

test('all of the list is marked as read, and deleted, by buttons in its head', async () => {
  const reader = await createUser(program);
  for (const subject of ['One', 'Two', 'Three']) await deliverOne(program, { to: reader.address, subject });
  const { items } = await ok(reader.api.get('/api/messages'));
  await ok(reader.api.patch(`/api/messages/${items[0].id}`, { is_flagged: true }));
  await using page = await openPage(program, reader);
  await liveRow(page, 'One');
  const unread = async () => (await ok(reader.api.get('/api/messages?unread=true'))).pagination.total;
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await until(async () => (await unread()) === 0);
  assert.equal(await page.getByText('selected').count(), 0);
  // The second press changes nothing; the toggle key would mark the message as unread.
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await page.getByRole('button', { name: 'Only flagged' }).click();
  await rowOf(page, 'One').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete all' }).click();
  await page.getByText('Delete this message?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Nothing matches.').waitFor();
  await until(async () => (await ok(reader.api.get('/api/messages'))).pagination.total === 2);
  assert.equal(await unread(), 0);
});

for (const width of [1440, 390]) {
  test(`the code or the main link is copied from its row, which stays closed, at ${width} px`, async () => {
    const viewport = { width, height: 800 };
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using page = await openPage(program, user, '/', { viewport, permissions });
    const context = page.context();
    await rowOf(page, 'Sign in').waitFor();
    const copied = (wanted: string) =>
      until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === wanted);
    const code = rowOf(page, 'Sign in').getByText('493817', { exact: true });
    const chip = await code.boundingBox();
    const row = await rowOf(page, 'Sign in').boundingBox();
    assert.ok(
      chip && row && chip.x + chip.width < row.x + row.width && chip.y + chip.height < row.y + row.height,
    );
    await code.click();
    await page.getByText('Copied the code 493817').waitFor();
    await copied('493817');
    await rowOf(page, 'Reset').getByText('Reset link', { exact: true }).click();
    await page.getByText('Copied the reset link').waitFor();
    await copied('https://app.example/reset?token=77ab1c');
    await context.route('https://app.example/**', (route) => route.fulfill({ body: 'reset' }));
    const opening = context.waitForEvent('page');
    await rowOf(page, 'Reset').locator('[data-do=open]').click();
    const other = await opening;
    await other.waitForURL('https://app.example/reset?token=77ab1c');
    await other.close();
    assert.equal(new URL(page.url()).pathname, '/');
    assert.equal(await rowOf(page, 'Bare').locator('[data-do]').count(), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    assert.deepEqual(page.errors, []);
  });
}

test('the key c copies from the active row, and from the open message', async () => {
  await using page = await openPage(program, user, '/', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await liveRow(page, 'Sign in');
  const copied = (wanted: string) =>
    until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === wanted);
  await page.keyboard.press('j');
  await page.keyboard.press('c');
  await copied('493817');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Reset' }).waitFor();
  await page.keyboard.press('c');
  await copied('https://app.example/reset?token=77ab1c');
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Bare' }).waitFor();
  await page.keyboard.press('c');
  await page.getByText('no code or main link').waitFor();
  // The page reads an open message that its list does not show.
  const { items } = await ok(user.api.get('/api/messages?subject=Sign'));
  await page.goto(`/mail/all/${items[0].id}?q=nowhere`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.keyboard.press('c');
  await copied('493817');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Copy the code or link').waitFor();
});

test('buttons of the whole list keep the focus in sight, and a refusal leaves nothing selected', async () => {
  const reader = await createUser(program);
  for (const subject of ['One', 'Two']) await deliverOne(program, { to: reader.address, subject });
  await using page = await openPage(program, reader);
  await liveRow(page, 'One');
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest('button, .list')?.textContent?.trim());
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Mark all read' }).press('Enter');
  await until(async () => (await page.locator('.row.unread').count()) === 0);
  assert.equal(await focused(), 'Mark all read');
  for (const refuse of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('button', { name: 'Cancel' }).click(),
  ]) {
    await page.getByRole('button', { name: 'Delete all' }).press('Enter');
    await dialog.waitFor();
    await refuse();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Delete all');
    assert.equal(await page.getByRole('option', { selected: true }).count(), 0);
    // The help opens, so all earlier keys have taken effect.
    for (const key of ['f', 'u', 'e', '?']) await page.keyboard.press(key);
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByText(/deleted/).count(), 0);
    assert.equal((await ok(reader.api.get('/api/messages?is_flagged=true'))).pagination.total, 0);
  }
  await page.getByRole('button', { name: 'Delete all' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await page.getByText('Waiting for email').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'list wide');
});
