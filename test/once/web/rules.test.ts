import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user } = await startMailProgram();

test('a rule is made, ordered, turned off and deleted', async () => {
  await deliverOne(program, { to: user.address, subject: 'Receipt 1' });
  await using page = await openPage(program, user, '/manage/rules');
  await page.getByText('No rules yet.').waitFor();
  await page.getByRole('button', { name: 'New rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'New rule' });
  const query = dialog.getByLabel('For new mail that matches');
  await query.pressSequentially('subjct:receipt', { delay: 60 });
  await dialog.getByText('No operator “subjct:”. Did you mean “subject:receipt”?').waitFor();
  await query.fill('');
  await query.pressSequentially('subject:receipt', { delay: 100 });
  await dialog.getByText('No operator').waitFor({ state: 'detached' });
  await dialog.getByLabel('Name').pressSequentially('Receipts', { delay: 120 });
  await dialog.getByLabel('Tags').pressSequentially('money, run 7', { delay: 120 });
  await dialog.getByLabel('Flagged').check();
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await dialog.waitFor({ state: 'detached' });
  await deliverOne(program, { to: user.address, subject: 'Receipt 2' });
  await page.goto('/mail/all');
  await liveRow(page, 'Receipt 2');
  await rowOf(page, 'Receipt 2').getByText('money').waitFor();

  await ok(user.api.post('/api/rules', { name: 'Second', q: 'other', discard: true }));
  await page.goto('/manage/rules');
  const names = () => page.locator('.card > summary .card-name').allTextContents();
  await until(async () => (await names()).join() === 'Receipts,Second');
  await page.locator('.card > summary', { hasText: 'Receipts' }).click();
  await page.getByText('1 message', { exact: true }).waitFor();
  await page.getByText('Tagged money and run 7, flagged.').waitFor();
  await page.getByRole('button', { name: 'Later: Receipts' }).click();
  await until(async () => (await names()).join() === 'Second,Receipts');
  await page.getByRole('switch', { name: 'Active' }).first().press('Enter');
  await page.getByText('off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete Receipts' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await until(async () => (await names()).join() === 'Second');
  assert.deepEqual(page.errors, []);
});
