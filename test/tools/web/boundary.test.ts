import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage, rowOf } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';

const mail = await startMailProgram();

test('a part whose file an upgrade has removed asks to reload', async () => {
  await using page = await openPage(mail.program, mail.user);
  await page.route('**/assets/seldom-*', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'Manage' }).click();
  await page.getByText('This part of the page could not be loaded').waitFor();
  await page.unroute('**/assets/seldom-*');
  await page.getByRole('button', { name: 'Reload' }).press('Enter');
  await page.getByRole('button', { name: 'New domain' }).waitFor();
});

test('a message that cannot be drawn leaves the list and the other messages', async () => {
  const broken = await deliverOne(mail.program, { to: mail.user.address, subject: 'Broken' });
  await deliverOne(mail.program, { to: mail.user.address, subject: 'Whole', text: 'All is well.' });
  await using page = await openPage(mail.program, mail.user, '/mail/all');
  await page.route(`**/api/messages/${broken}`, (route) => route.fulfill({ json: { id: broken } }));
  await rowOf(page, 'Broken').click();
  await page.getByRole('alert').getByText("This message can't be displayed").waitFor();
  await rowOf(page, 'Whole').click();
  await page.getByRole('heading', { name: 'Whole' }).waitFor();
  assert.equal(await page.getByText("can't be displayed").count(), 0);
  await page.unroute(`**/api/messages/${broken}`);
  await rowOf(page, 'Broken').click();
  await page.getByRole('heading', { name: 'Broken' }).waitFor();
});

test('what could not be read says why, and is read again by a button', async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, subject: 'Later', text: 'Plain' });
  const problem = { title: 'No', status: 500, code: 'x', detail: 'The store rests.' };
  await using page = await openPage(mail.program, mail.user);
  for (const [read, path, shown] of [
    ['rules?*', '/manage/rules', 'No rules yet.'],
    ['audit-log?*', '/manage/audit', 'Audit log'],
    ['accounts?*', '/manage/accounts', mail.user.address],
    ['messages?*', '/mail/all', 'Later'],
    [`messages/${id}`, `/mail/all/${id}`, 'Plain'],
    [`messages/${id}/checks`, `/mail/all/${id}/checks`, 'This message has no HTML to check'],
  ] as const) {
    const json = { status: 500, json: problem };
    await page.route(`**/api/${read}`, (route) => route.fulfill(json));
    await page.goto(path);
    const alert = page.getByRole('alert').filter({ hasText: 'The store rests.' });
    await alert.waitFor();
    const refusedAgain = page.waitForResponse((response) => response.status() === 500);
    await alert.getByRole('button', { name: 'Try again' }).press('Enter');
    await refusedAgain;
    await alert.waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).press('Enter');
    await alert.waitFor({ state: 'detached' });
    await page.getByText(shown).first().waitFor();
  }
});
