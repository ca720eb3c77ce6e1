import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user } = await scene();
const second = `second@${user.domain.domain}`;
await ok(user.api.post('/api/accounts', { address: second }));
await deliverOne(program, { to: user.address, subject: 'Invoice 1', text: 'pay it' });
await deliverOne(program, { to: user.address, subject: 'Welcome' });
await deliverOne(program, { to: second, subject: 'Invoice 2' });

test('the tree leads from all mail to one mailbox, and shows unread counts', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Invoice 2');
  assert.deepEqual(await subjects(page), ['Invoice 2', 'Welcome', 'Invoice 1']);
  await until(async () => (await page.title()) === '(3) Sandpost');
  const tree = page.getByRole('tree');
  await tree.getByRole('treeitem', { name: 'All mail 3 unread' }).waitFor();
  await tree.getByRole('treeitem', { name: 'Inbox 1 unread' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await until(async () => (await subjects(page)).join() === 'Invoice 2');
  // Keys lead up from the inbox of `second` through the mailboxes of `qa` to its inbox.
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(async () => (await subjects(page)).join() === 'Welcome,Invoice 1');
  await page.goBack();
  await until(async () => (await subjects(page)).join() === 'Invoice 2');
  await page.goBack();
  await until(async () => (await subjects(page)).length === 3);
  await page.goForward();
  await until(async () => (await subjects(page)).join() === 'Invoice 2');
  assert.deepEqual(page.errors, []);
});

test('the head of a narrow list has room for its buttons', async () => {
  await using page = await openPage(program, user, '/', { viewport: { width: 1024, height: 768 } });
  await liveRow(page, 'Welcome');
  const spare = () =>
    page.locator('.list-head').evaluate((head) => {
      const buttons = [...head.querySelectorAll('button')];
      const ends = buttons.map((button) => button.getBoundingClientRect().right);
      return Math.round(head.getBoundingClientRect().right - Math.max(...ends));
    });
  await rowOf(page, 'Invoice 1').click();
  await page.locator('.message').waitFor();
  await until(async () => (await spare()) === 8);
  await page.locator('.list-head .numbers').evaluate((total) => {
    total.textContent = '123,456';
  });
  assert.equal(await spare(), 8);
  await rowOf(page, 'Welcome').click({ modifiers: ['Control'] });
  await page.getByText('2 selected').or(page.getByText('1 selected')).waitFor();
  assert.equal(await spare(), 8);
  assert.deepEqual(page.errors, []);
});

test('the bar of a read message has room for all its buttons and their words', async () => {
  await using page = await openPage(program, user, '/', { viewport: { width: 1440, height: 900 } });
  await liveRow(page, 'Welcome');
  await rowOf(page, 'Welcome').click();
  // "Unread" is longer than "Read".
  await page.getByRole('button', { name: 'Mark as unread' }).getByText('Unread').waitFor();
  const box = await page.getByRole('button', { name: 'Close the message' }).boundingBox();
  assert.ok(box && box.x + box.width <= 1440 && box.width >= 24, JSON.stringify(box));
});

test('the keys j and k show the active row after a fresh load, and g t chooses Trash', async () => {
  const user = await createUser(program);
  await ok(user.api.patch(`/api/accounts/${user.account.id}`, { is_capture: true }));
  await deliverOne(program, { to: user.address, subject: 'One' });
  await using page = await openPage(program, user);
  await liveRow(page, 'One');
  await page.keyboard.press('j');
  const row = page.locator('.row.active');
  assert.equal(await row.evaluate((element) => getComputedStyle(element).outlineStyle), 'solid');
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('treeitem', { name: 'Trash', selected: true }).waitFor();
  assert.equal(await page.getByRole('treeitem', { selected: true }).count(), 1);
});

test('a search is in the URL, and a reload comes back to it', async () => {
  await using page = await openPage(program, user);
  await liveRow(page, 'Welcome');
  await page.keyboard.press('/');
  await page.keyboard.type('invoice PAY');
  await until(async () => (await subjects(page)).join() === 'Invoice 1');
  await until(() => new URL(page.url()).search === '?q=invoice%20PAY');
  await page.reload();
  await rowOf(page, 'Invoice 1').waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Search' }).inputValue(), 'invoice PAY');
  await page.getByRole('combobox', { name: 'Search' }).fill('no such thing');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByRole('combobox', { name: 'Search' }).press('Escape');
  await until(async () => (await subjects(page)).length === 3);
});

test('widths are dragged, moved by keys, and remembered', async () => {
  await using page = await openPage(program, user);
  await rowOf(page, 'Welcome').click();
  const width = () => page.locator('.pane-list').evaluate((pane) => pane.getBoundingClientRect().width);
  const splitter = page.getByRole('separator', { name: 'List width' });
  await splitter.waitFor();
  const before = await width();
  const box = await splitter.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 200);
  await page.mouse.up();
  await until(async () => (await width()) === before + 60);
  await page.mouse.move(box.x + 160, box.y + 200);
  await splitter.focus();
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await width()) === before + 44);
  await page.reload();
  await splitter.waitFor();
  assert.equal(await width(), before + 44);
  await splitter.press('Home');
  assert.equal(await splitter.getAttribute('aria-valuenow'), '260');
});

test('under 700 px there is one pane at a time, with a way back', async () => {
  await using page = await openPage(program, user, '/', { viewport: { width: 420, height: 800 } });
  await page.getByRole('option').first().waitFor();
  assert.equal(await page.getByRole('region', { name: 'Message', exact: true }).isVisible(), false);
  assert.equal(await page.getByRole('tree').isVisible(), false);
  await page.getByRole('button', { name: 'Mailboxes', exact: true }).click();
  await page.getByRole('tree').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('tree').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Mailboxes', exact: true }).click();
  // Shows the inbox of `second`, whatever was read from the first meanwhile.
  await page
    .getByRole('treeitem', { name: /^Inbox/ })
    .last()
    .click();
  await until(async () => (await subjects(page)).join() === 'Invoice 2');
  await page.getByRole('tree').waitFor({ state: 'hidden' });
  await rowOf(page, 'Invoice 2').click();
  await page.getByRole('region', { name: 'Message', exact: true }).waitFor();
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('listbox').waitFor();
  await until(async () => (await page.evaluate(() => document.documentElement.scrollWidth)) === 420);
});

test('the list is narrowed by keys and buttons, and the URL has the filter', async () => {
  const reader = await createUser(program);
  const { address: to } = reader;
  const attachments = [{ filename: 'a.txt', content: 'x' }];
  const read = await deliverOne(program, { to, subject: 'Read', attachments });
  const flagged = await deliverOne(program, { to, subject: 'Flagged' });
  await deliverOne(program, { to, subject: 'New', attachments });
  await ok(reader.api.patch(`/api/messages/${read}`, { is_read: true }));
  await ok(reader.api.patch(`/api/messages/${flagged}`, { is_flagged: true }));
  await using page = await openPage(program, reader);
  const shown = (wanted: string) => until(async () => (await subjects(page)).join() === wanted);
  const query = () => new URL(page.url()).search;
  await liveRow(page, 'New');
  await page.keyboard.press('v');
  await page.keyboard.press('u');
  await shown('New,Flagged');
  await until(() => query() === '?unread=true');
  const button = (name: string) => page.getByRole('button', { name });
  assert.equal(await button('Only unread').getAttribute('aria-pressed'), 'true');
  await button('Only with attachments').click();
  await shown('New');
  await until(() => query() === '?unread=true&has_attachments=true');
  await page.reload();
  await liveRow(page, 'New');
  await deliverOne(program, { to, subject: 'Bare' });
  await deliverOne(program, { to, subject: 'Newer', attachments });
  await shown('Newer,New');
  await page.goBack();
  await shown('Newer,Bare,New,Flagged');
  await page.keyboard.press('v');
  await page.keyboard.press('f');
  await shown('Flagged');
  await page.keyboard.press('/');
  await page.keyboard.type('nowhere');
  await page.getByText('Nothing matches.').waitFor();
  await until(() => query() === '?q=nowhere&unread=true&is_flagged=true');
  await page.getByRole('treeitem', { name: 'Inbox' }).click();
  await shown('Newer,Bare,New,Flagged,Read');
  await until(() => query() === '');
  assert.deepEqual(page.errors, []);
});

test('a message that is opened in the list of unread ones stays there until the list is read anew', async () => {
  const reader = await createUser(program);
  const ids = [];
  for (const subject of ['One', 'Two', 'Three'])
    ids.push(await deliverOne(program, { to: reader.address, subject }));
  await using page = await openPage(program, reader, '/mail/all?unread=true');
  await liveRow(page, 'Three');
  const unread = async () => (await ok(reader.api.get('/api/messages?unread=true'))).pagination.total;
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await until(async () => (await unread()) === 2);
  await page.keyboard.press('j');
  await page.waitForURL(new RegExp(`/mail/all/${ids[1]}[?]unread=true$`));
  await until(async () => (await unread()) === 1);
  assert.deepEqual(await subjects(page), ['Three', 'Two', 'One']);
  await page.reload();
  await until(async () => (await subjects(page)).join() === 'One');
});

test('a row shows the name of a sender with its address, and marks attachments', async () => {
  const reader = await createUser(program);
  const mail = { to: reader.address, attachments: [{ filename: 'a.txt', content: 'x' }] };
  await deliverOne(program, { ...mail, from: 'Ada <ada@shop.example>', subject: 'Named' });
  await deliverOne(program, { to: reader.address, from: 'bob@shop.example', subject: 'Bare' });
  await using page = await openPage(program, reader);
  await liveRow(page, 'Named');
  const named = rowOf(page, 'Named');
  assert.equal(await named.locator('.row-from').textContent(), 'Ada ada@shop.example');
  assert.equal(await named.locator('.row-from').getAttribute('title'), 'ada@shop.example');
  assert.equal(await named.getByText('has attachments').count(), 1);
  const bare = rowOf(page, 'Bare');
  assert.equal(await bare.locator('.row-from').textContent(), 'bob@shop.example');
  assert.equal(await bare.getByText('has attachments').count(), 0);
});
