import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await startMailProgram();

const open = (path: string) =>
  openPage(mail.program, mail.user, path, { permissions: ['clipboard-read', 'clipboard-write'] });

test('the head shows people, time, size, and codes and links', async () => {
  const [local = '', domain = ''] = mail.user.address.split('@');
  const id = await deliverOne(mail.program, {
    from: 'Shop <shop@example.com>',
    to: `${local}+signup@${domain}`,
    subject: 'Welcome',
    text: 'Your code is 493817.\nConfirm: https://shop.example/verify?t=1',
  });
  await using page = await open(`/mail/all/${id}`);
  const head = page.locator('.message-head');
  await head.getByRole('heading', { name: 'Welcome' }).waitFor();
  await until(async () => (await page.title()) === 'Welcome · Sandpost');
  const said = (await head.textContent()) ?? '';
  assert.match(said, /From\s*Shop\s*shop@example\.comTo\s*qa\+signup@/);
  assert.match((await head.locator('time').getAttribute('title')) ?? '', /\d{4}.*\d:\d\d/);
  assert.doesNotMatch(said, /SPF|none|warning/);
  await head.getByRole('button', { name: 'Copy the code 493817' }).click();
  await head.getByText('Copied', { exact: true }).first().waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '493817');
  const link = head.getByRole('link', { name: 'Verify link' });
  assert.equal(await link.getAttribute('href'), 'https://shop.example/verify?t=1');
  // The key c copies the code from anywhere, and screen readers announce the status.
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.keyboard.press('c');
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === '493817');
  await head.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
  assert.deepEqual(page.errors, []);
});

test('local mail has no results in its head, and others lead to the checks', async () => {
  mail.dns.zones['strict.example'] = { TXT: ['v=spf1 -all'] };
  const [local, failed] = [
    await deliverOne(mail.program, { to: mail.user.address, subject: 'Local' }),
    await deliverOne(mail.program, { from: 'a@strict.example', to: mail.user.address, subject: 'Failed' }),
  ];
  await using page = await open(`/mail/all/${local}`);
  const chips = page.locator('.chips');
  await page.getByRole('tab', { name: 'Checks', exact: true }).click();
  assert.equal(await chips.count(), 0);
  // The checks are still complete, and do not call a missing record a failure.
  await page.getByText('Mail sent from your own network has no SPF, DKIM or DMARC result.').waitFor();
  assert.equal(await page.getByRole('heading', { name: /^Fix first/ }).count(), 0);
  await page.goto(`/mail/all/${failed}`);
  await page.getByRole('tab', { name: 'Checks' }).locator('.danger').waitFor();
  await chips.getByText('SPF fail').click();
  await page.getByRole('tabpanel', { name: /^Checks/ }).waitFor();
});

test('recipients that no field names are Bcc, and the envelope names the account', async () => {
  const [local = '', domain = ''] = mail.user.address.split('@');
  const raw =
    'From: a@example.com\r\nTo: list@lists.example\r\nCc: b@example.com\r\nSubject: Hidden\r\n\r\nHi\r\n';
  const id = await deliverOne(mail.program, { to: `${local}+hidden@${domain}`, raw });
  await using page = await open(`/mail/all/${id}`);
  const people = page.locator('.message-people');
  await people.waitFor();
  assert.match(
    (await people.textContent()) ?? '',
    new RegExp(`To\\s*list@lists.exampleCc\\s*b@example.comBcc\\s*qa\\+hidden@${domain}$`),
  );
  await page.getByRole('tab', { name: /^Headers/ }).click();
  const fact = page.locator('.envelope div').filter({ hasText: 'Delivered to' });
  // The account's own address appears after the accounts load.
  await fact.getByRole('definition').getByText(mail.user.address, { exact: true }).waitFor();
  const titles = await page
    .getByRole('toolbar', { name: 'Actions' })
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('title')));
  assert.match(titles.shift() ?? '', /^Mark as (?:un)?read \(u\)$/);
  assert.deepEqual(titles, [
    ...['Flag (f)', 'Tag (l)', 'Move (m)', 'Set expiration (t)', 'Delete (e)', 'Download'],
    ...['Copy as assertion', 'Share this message'],
  ]);
});

test('the tab is in the URL, and changes by arrow keys', async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, html: '<p>x</p>', text: 'x' });
  await using page = await open(`/mail/all/${id}`);
  const selected = page.getByRole('tab', { selected: true });
  await page.getByRole('tab', { name: 'HTML', selected: true }).waitFor();
  await page.getByRole('tab', { name: 'Source' }).click();
  await page.waitForURL(`**/mail/all/${id}/source`);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('tab', { name: /^Checks/, selected: true }).waitFor();
  assert.equal(await selected.evaluate((tab) => tab === document.activeElement), true);
  await page.keyboard.press('End');
  await page.getByRole('tabpanel', { name: 'Source' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tabpanel', { name: 'HTML' }).waitFor();
  await page.waitForURL(`**/mail/all/${id}/html`);
  await page.goto(`/mail/all/${id}/text`);
  await page.getByRole('tabpanel', { name: 'Text' }).waitFor();
  assert.equal(await page.getByRole('tab').and(page.locator('[tabindex="0"]')).count(), 1);
  await page.goto(`/mail/all/${id}/nonsense`);
  await page.getByRole('tab', { name: 'HTML', selected: true }).waitFor();
});

test('a deleted message is reported, and at once if it is open', async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, subject: 'Short' });
  await using page = await open(`/mail/all/${id}`);
  await page.getByRole('heading', { name: 'Short' }).waitFor();
  await page.locator('.connection.open').waitFor();
  await ok(mail.user.api.delete(`/api/messages/${id}`));
  // The list learns of it too, and closes the message.
  await page.getByRole('heading', { name: 'Short' }).waitFor({ state: 'detached' });
  await page.goto(`/mail/all/${id}`);
  await page.getByText('No message has this number.').waitFor();
});

test('a message that could not be reached is read again by itself while the page is live', async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, subject: 'Reached' });
  await using page = await open('/mail/all');
  await liveRow(page, 'Reached');
  await page.route(`**/api/messages/${id}`, (route) => route.abort());
  await rowOf(page, 'Reached').click();
  await page.locator('.pane-message').getByText("Can't reach Sandpost").waitFor();
  await page.unroute(`**/api/messages/${id}`);
  await page.getByRole('article', { name: 'Reached' }).waitFor();
});

test('no subject, no body, a thousand recipients, a subject of a thousand words', async () => {
  const many = Array.from({ length: 1000 }, (_, at) => `p${at}@example.com`).join(',\r\n ');
  const raw = `From: \r\nTo: ${many}\r\n\r\n`;
  const id = await deliverOne(mail.program, { to: mail.user.address, raw });
  const long = await deliverOne(mail.program, {
    to: mail.user.address,
    subject: `${'word '.repeat(1000)}${'W'.repeat(900)}`,
  });
  await using page = await open(`/mail/all/${id}`);
  await page.getByRole('heading', { name: 'No subject' }).waitFor();
  await page.getByText('This message has no text').waitFor();
  await page.getByRole('button', { name: 'and 997 more' }).click();
  await page.getByText('p999@example.com', { exact: true }).waitFor();
  const headHeight = () => page.locator('.message-head').evaluate((head) => head.clientHeight);
  assert.ok((await headHeight()) < 330, String(await headHeight()));
  assert.equal(await page.getByRole('tab', { name: 'HTML' }).count(), 0);

  await page.goto(`/mail/all/${long}`);
  await page.locator('.message h1').waitFor();
  assert.ok((await headHeight()) < 330, String(await headHeight()));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1400);
});
