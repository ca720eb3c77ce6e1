import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
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
  for (const subject of ['One', 'Two', 'Three', 'Four']) {
    ids.push(await deliverOne(program, { to: user.address, subject }));
  }
});
const message = (id: number | undefined) => ok(user.api.get(`/api/messages/${id}`));
const total = async () => (await ok(user.api.get('/api/messages'))).pagination.total;

test('mail is moved to another mailbox than its own, by the names of the tree', async () => {
  await using page = await openPage(program, user);
  const others = ['Drafts', 'Sent', 'Junk', 'Trash'];
  const move = async (subject: string) => {
    await rowOf(page, subject).click();
    await page
      .getByRole('region', { name: 'Message', exact: true })
      .getByRole('button', { name: 'Move' })
      .click();
    return page.getByRole('dialog').locator('.choices button');
  };
  await liveRow(page, 'Two');
  const choices = await move('Two');
  await choices.first().waitFor();
  assert.deepEqual(await choices.allTextContents(), others);
  await choices.filter({ hasText: 'Junk' }).click();
  await until(async () => (await message(ids[1])).mailbox_id === user.mailboxes.Junk);
  await page.getByRole('treeitem', { name: 'Junk' }).click();
  await move('Two');
  await choices.first().waitFor();
  assert.deepEqual(await choices.allTextContents(), ['Inbox', 'Drafts', 'Sent', 'Trash']);

  await page.goto('/manage/accounts');
  await page.getByText(user.address, { exact: true }).click();
  const names = await page.locator('.row-name').allTextContents();
  assert.deepEqual(names.toSorted(), ['Inbox', ...others].toSorted());
});

test('opening marks as read; read, flag and expiry are changed by buttons', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Two');
  await rowOf(page, 'Two').click();
  await until(async () => (await message(ids[1])).is_read);
  const main = page.getByRole('region', { name: 'Message', exact: true });
  await main.getByRole('button', { name: 'Mark as unread' }).click();
  await until(async () => !(await message(ids[1])).is_read);
  await main.getByRole('button', { name: 'Flag' }).click();
  await until(async () => (await message(ids[1])).is_flagged);
  await main.getByRole('button', { name: 'Set expiration' }).click();
  await page.getByRole('button', { name: 'In a day' }).click();
  await until(async () => (await message(ids[1])).expires_at !== null);
  // The open message stays unread: only opening it marks it as read.
  assert.equal((await message(ids[1])).is_read, false);
  const downloading = page.waitForEvent('download');
  await main.getByRole('button', { name: 'Download' }).click();
  assert.equal((await downloading).suggestedFilename(), `message-${ids[1]}.eml`);
  assert.deepEqual(page.errors, []);
});

test('a deletion goes on to the next message, and can be undone', async () => {
  await using page = await openPage(program, user, `/mail/all/${ids[2]}`);
  await liveRow(page, 'Three');
  await page
    .getByRole('region', { name: 'Message', exact: true })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.waitForURL(new RegExp(`/mail/all/${ids[1]}$`));
  await page.getByText('Deleting 1 message in 10 s').waitFor();
  const [list, toast] = [
    await page.locator('.list').boundingBox(),
    await page.locator('.toast').boundingBox(),
  ];
  assert.ok(list && toast && toast.x + toast.width <= list.x, 'the toast covers no row');
  assert.equal(list.y + list.height, page.viewportSize()?.height, 'the toast takes no room');
  await until(async () => (await subjects(page)).join() === 'Four,Two,One');
  assert.equal(await total(), 4);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await subjects(page)).join() === 'Four,Three,Two,One');
  await page.keyboard.press('e');
  await until(async () => (await subjects(page)).join() === 'Four,Three,One');
  await page.keyboard.press('z');
  await until(async () => (await subjects(page)).join() === 'Four,Three,Two,One');
  await page.getByText('Deleting 1 message in 10 s').waitFor({ state: 'detached' });
  await rowOf(page, 'Two').click();
  await page.keyboard.press('e');
  await until(async () => (await subjects(page)).join() === 'Four,Three,One');
  await until(async () => (await total()) === 3);
  assert.deepEqual(await subjects(page), ['Four', 'Three', 'One']);
  await page.keyboard.press('z');
  await page.getByText('Nothing to undo').waitFor();
});

test('leaving the page within the ten seconds carries out the deletion', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Four');
  await rowOf(page, 'Four').click();
  await page.keyboard.press('e');
  await until(async () => (await subjects(page)).length === 3);
  await page.goto('about:blank');
  await until(async () => (await total()) === 3);
});

test('many are selected by Ctrl and Shift, moved and deleted together', async () => {
  await using page = await openPage(program, user, `/mail/${user.account.id}/${user.inbox}`);
  await liveRow(page, 'Four');
  await rowOf(page, 'Four').click();
  await rowOf(page, 'Two').click({ modifiers: ['Control'] });
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('m');
  await page.getByRole('button', { name: 'Trash' }).click();
  await until(async () => (await subjects(page)).join() === 'Three,One');
  await until(async () => (await message(ids[3])).mailbox_id === user.mailboxes.Trash);
  await until(async () => (await message(ids[1])).mailbox_id === user.mailboxes.Trash);
  await rowOf(page, 'Three').click();
  await rowOf(page, 'One').click({ modifiers: ['Shift'] });
  await page.getByText('2 selected').waitFor();
  await page.locator('.list-head').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No mail here yet.').waitFor();
  await until(async () => (await total()) === 2);
});

test('everything that a search finds is acted upon, and deleted after asking', async () => {
  await using page = await openPage(program, user, '/mail/all?q=o');
  await liveRow(page, 'One');
  await page.locator('.list').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await page.keyboard.press('f');
  for (const id of ids) await until(async () => (await message(id)).is_flagged);
  await page.keyboard.press('e');
  await page.getByRole('dialog').getByText('Delete all 4 messages?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Nothing matches.').waitFor();
  await until(async () => (await total()) === 0);
});

test('a refused change is explained, and the message is shown as before', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Two');
  await page.route(`**/api/messages/${ids[1]}`, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 503,
          json: { status: 503, code: 'unavailable', detail: 'The store is away' },
        })
      : route.continue(),
  );
  await rowOf(page, 'Two').click();
  await page.getByText('The store is away').waitFor();
  await page.locator('.row.unread', { hasText: 'Two' }).waitFor();
});
