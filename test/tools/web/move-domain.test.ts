import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { createSharedTeam } from '#test/once/web/support/shared-team.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

test('an owner of two teams moves a domain with its mail to the other one', async () => {
  const owner = await createUser(program);
  const team = await createSharedTeam(program, owner, 'Harbour');
  await createSharedTeam(program, owner, 'Lighthouse');
  const [id = 0] = await deliver(program, { to: owner.address, subject: 'Goes along' });
  const name = owner.domain.domain;
  await using page = await openPage(program, owner, '/manage/domains');
  const card = page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
  await card.getByText(name, { exact: true }).click();
  await card.getByRole('button', { name: `Move to another team: ${name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('accounts, mailboxes and messages move with it').waitFor();
  await dialog.getByText('API keys and event streams lose access').waitFor();
  const choice = dialog.getByRole('combobox', { name: 'Team' });
  const names = () => choice.getByRole('option').allTextContents();
  await until(async () => (await names()).join() === 'Harbour,Lighthouse');
  // Closing the dialog has no effect.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await card.getByRole('button', { name: `Move to another team: ${name}` }).click();
  await choice.selectOption('Lighthouse');
  await choice.selectOption('Harbour');
  await dialog.getByRole('button', { name: 'Move to Harbour' }).click();
  await page.getByText(`${name} moves to Harbour`).waitFor();
  await card.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement?.localName), 'main');
  await page.goto(`/team/${team.id}/mail/all/${id}`);
  await page.getByRole('heading', { name: 'Goes along' }).waitFor();
  assert.deepEqual(page.errors, []);
});

test('a domain is not offered to be moved without another team, or in a team of others', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await team.join(ann, 'member');
  for (const path of ['/manage/domains', `/team/${team.id}/manage/domains`]) {
    await using at = await openPage(program, ann, path);
    await at.locator('.card > summary').first().click();
    await at.getByRole('button', { name: /^Delete / }).waitFor();
    assert.equal(await at.getByRole('button', { name: /^Move / }).count(), 0, path);
  }
});

test('a move that a rule forbids is refused in its words', async () => {
  const owner = await createUser(program);
  const team = await createSharedTeam(program, owner, 'Harbour');
  await ok(owner.api.patch(`/api/accounts/${owner.account.id}`, { is_capture: true }));
  await ok(team.api.patch(`/api/accounts/${team.account}`, { is_capture: true }));
  await using page = await openPage(program, owner, '/manage/domains');
  await page.locator('.card > summary').first().click();
  await page.getByRole('button', { name: /^Move / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move to Harbour' }).click();
  await page
    .getByRole('alert')
    .getByText(/already has a capture account/)
    .waitFor();
});

test('a move that the user’s role no longer allows is refused once', async () => {
  const [owner, ann] = [await createUser(program), await createUser(program)];
  const team = await createSharedTeam(program, owner);
  await team.join(ann, 'owner');
  await using page = await openPage(program, owner, `/team/${team.id}/manage/domains`);
  await page.locator('.card > summary').first().click();
  await page.getByRole('button', { name: /^Move / }).click();
  const byAnn = new HttpClient(program, { cookie: ann.cookie });
  await ok(byAnn.patch(`/api/teams/${team.id}/members/${owner.id}`, { role: 'member' }));
  // The form stays as long as the page has not read the new role.
  await page.route('**/api/teams?*', () => {});
  await page.getByRole('dialog').getByRole('button', { name: 'Move to Personal' }).click();
  await page.locator('.toast').waitFor();
  await page.getByRole('button', { name: 'Move to Personal', disabled: false }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});
