import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { authPlain, connectFromNewHost } from '#test/support/clients/smtp-auth.ts';
import { deliverOne, transmit } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();

test('what was refused is shown live beside the mailboxes, with advice', async () => {
  const user = await createUser(program);
  const nobody = `nobody@${user.domain.domain}`;
  await deliverOne(program, { to: user.address, subject: 'Taken' });
  await using page = await openPage(program, user, '/mail/all');
  await page.getByText('Taken').first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'No refused mail' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/mail/refused');
  await assert.rejects(transmit(program, { to: nobody }));
  const row = page.getByRole('listitem').filter({ hasText: nobody });
  await row.getByText(/^550 5\.1\.1/).waitFor();
  await row
    .getByText(`The address does not exist on ${user.domain.domain}. Create the account, or a catch-all.`)
    .waitFor();
  const remedy = row.getByRole('link', { name: 'Open Accounts' });
  assert.match((await remedy.getAttribute('href')) ?? '', /\/manage\/accounts$/);
  await row.getByText('from shop@example.com').waitFor();
  const line = page.getByRole('treeitem', { name: 'Refused 1' });
  await line.waitFor();
  assert.equal(await line.getAttribute('aria-selected'), 'true');

  // The list's keys do nothing here, and no mail is lost.
  for (const key of ['Control+a', 'e', 'j', 'Enter', 'Escape']) await page.keyboard.press(key);
  assert.equal(new URL(page.url()).pathname, '/mail/refused');
  await line.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByText('Taken').first().waitFor();
  await page.goBack();
  await row.waitFor();
  assert.deepEqual(page.errors, []);
});

test('a refusal opens to its dialogue and its rule, which lets the next mail pass', async () => {
  const user = await createUser(program);
  const { id } = await ok(
    user.api.post('/api/failures', {
      name: 'Full',
      reply: '552 5.2.2 Full',
      match: { address: user.address },
    }),
  );
  await assert.rejects(transmit(program, { to: user.address }), /552 5\.2\.2/);
  await using page = await openPage(program, user, '/mail/refused');
  const rows = page.locator('.refused > li');
  const row = rows.first();
  const path = `/manage/failures/${id}`;
  assert.equal(await row.getByRole('link', { name: 'Open the failure rule' }).getAttribute('href'), path);
  await row.getByText('Details').click();
  // The link to the rule replaces the advice.
  await row.getByText('Refused by the failure rule “Full”.').waitFor();
  await row.getByText('Pauses the rule.').waitFor();
  assert.equal(await row.getByText('pause or delete it').count(), 0);
  const lines = row.getByRole('list', { name: 'Transcript' }).getByRole('listitem');
  await lines.filter({ hasText: `RCPT TO:<${user.address}>` }).waitFor();
  assert.match((await lines.last().textContent()) ?? '', /Server:552 5\.2\.2 Full|552 5\.2\.2 Full$/);
  const button = row.getByRole('button', { name: 'Deliver next time' });
  await button.focus();
  await page.keyboard.press('Enter');
  await row.getByText('The rule is paused.').waitFor();
  const again = row.getByRole('button', { name: 'Refuse again' });
  assert.ok(await again.evaluate((element) => element === document.activeElement));
  await deliverOne(program, { to: user.address });
  await again.click();
  await row.getByText('Pauses the rule.').waitFor();
  await assert.rejects(transmit(program, { to: user.address }), /552 5\.2\.2/);
  await row.getByRole('link', { name: 'Full', exact: true }).click();
  await page.getByRole('list', { name: 'Attempts: Full' }).waitFor();
  assert.equal(new URL(page.url()).pathname, path);
  await ok(user.api.delete(`/api/failures/${id}`));
  await page.goBack();
  await rows.nth(1).waitFor();
  await row.getByText('Details').click();
  await row.getByText('The failure rule has ended.').waitFor();
  const unexpected = page.errors.filter((error) => !error.includes('404'));
  assert.deepEqual(unexpected, []);
});

test('details show the dialogue of a command before a mail, and why a rule cannot be read', async () => {
  const user = await createUser(program);
  const client = await connectFromNewHost(program.smtpPort);
  assert.match(await client.command(authPlain('', user.key)), /^235/);
  assert.match(await client.command('NONSENSE'), /^50/);
  client.destroy();
  await ok(user.api.post('/api/failures', { match: { address: user.address } }));
  await assert.rejects(transmit(program, { to: user.address }));
  await using page = await openPage(program, user, '/mail/refused');
  const problem = { title: 'Unavailable', status: 503, code: 'unavailable', detail: 'The store is away.' };
  await page.route('**/api/failures/*', (route) => route.fulfill({ status: 503, json: problem }));
  const [byRule, command] = [page.locator('.refused > li').first(), page.locator('.refused > li').last()];
  await byRule.getByText('Details').click();
  await byRule.getByText('The store is away.').waitFor();
  await command.getByText('Details').click();
  const lines = command.getByRole('list', { name: 'Transcript' }).getByRole('listitem');
  await lines.filter({ hasText: 'EHLO' }).first().waitFor();
});

test('a phone reaches what was refused by its mailboxes', async () => {
  const user = await createUser(program);
  await assert.rejects(transmit(program, { to: `nobody@${user.domain.domain}` }));
  await using page = await openPage(program, user, '/mail/all', { viewport: { width: 390, height: 800 } });
  await page.getByRole('button', { name: 'Mailboxes', exact: true }).click();
  await page.getByRole('treeitem', { name: 'Refused 1' }).click();
  await page.getByText(/^550 5\.1\.1/).waitFor();
  const { scroll, width } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    width: innerWidth,
  }));
  assert.ok(scroll <= width);
  await page.getByRole('button', { name: 'Mailboxes', exact: true }).click();
  await page.getByRole('treeitem', { name: 'All mail' }).click();
  await page.getByText('Waiting for email').waitFor();
});

test('a bounce says at its head what could not be delivered', async () => {
  const user = await createUser(program);
  const raw = [
    'From: MAILER-DAEMON@mx.example',
    `To: ${user.address}`,
    'Subject: Undelivered',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It failed.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    '',
    'Final-Recipient: rfc822; gone@example.net',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 No such user',
    '',
    '--b--',
    '',
  ].join('\r\n');
  const id = await deliverOne(program, { to: user.address, raw });
  await using opened = await openPage(program, user, `/mail/all/${id}`);
  await opened
    .getByText('Bounce: mail to gone@example.net could not be delivered: 550 5.1.1 No such user')
    .waitFor();
});

test('a message that came by SMTP shows its dialogue, and one that was composed has none', async () => {
  const user = await createUser(program);
  const id = await deliverOne(program, { to: user.address, subject: 'Said' });
  await using page = await openPage(program, user, `/mail/all/${id}/transcript`);
  const lines = page.getByRole('list', { name: 'Transcript' }).getByRole('listitem');
  await lines.filter({ hasText: `RCPT TO:<${user.address}>` }).waitFor();
  assert.match((await lines.last().textContent()) ?? '', /^[\d,]+ msServer:250 2\.6\.0 stored as/);
  await page.getByRole('button', { name: 'Copy the transcript' }).click();
  await page.getByText('Copied').first().waitFor();

  await ok(
    user.api.post(`/api/accounts/${user.account.id}/messages/send`, {
      to: [user.address],
      subject: 'Composed',
      text: 'x',
    }),
  );
  await page.getByText('Composed').first().click();
  await page.getByRole('heading', { level: 1, name: 'Composed' }).waitFor();
  await page.getByRole('tab', { name: 'Source' }).click();
  await page.getByRole('radio', { name: 'Structure' }).waitFor({ state: 'attached' });
  assert.equal(await page.getByRole('radio', { name: 'Transcript' }).count(), 0);
  assert.deepEqual(page.errors, []);
});
