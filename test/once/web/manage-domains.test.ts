import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Locator, Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { startProgram } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await forAllTests(startProgram({ SANDPOST_MX_HOSTS: 'mx1.example.com,mx2.example.com' }));

/** Opens a domain's card. */
async function openCard(page: Page, name: string): Promise<Locator> {
  const card = page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
  await card.getByText(name, { exact: true }).click();
  return card;
}

test('a domain is added, and one that is pending shows why and what to publish', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/domains');
  await page.getByRole('button', { name: 'New domain' }).click();
  await page.getByLabel('Name').fill('localhost');
  await page.getByRole('button', { name: 'Create domain' }).click();
  await page.locator('[name=domain][aria-invalid=true]').waitFor();
  const name = `staging.${user.domain.domain}`;
  await page.getByLabel('Name').fill(name);
  await page.getByRole('checkbox', { name: /^Verified without/ }).uncheck();
  await page.getByRole('button', { name: 'Create domain' }).click();
  const card = await openCard(page, name);
  await card.getByText('pending').waitFor();
  await card.getByText('Not verified yet').waitFor();
  await card.getByText(`${name}. 3600 IN MX 10 mx1.example.com.`).waitFor();
  await card.getByText(`${name}. 3600 IN MX 10 mx2.example.com.`).waitFor();
  // The check at creation finds no DNS server here. The page shows the result after it reads the domain again.
  await until(async () => {
    const { items } = await ok(user.api.get(`/api/domains?domain=${name}`));
    return items[0].verification_detail !== null;
  });
  await page.reload();
  await (await openCard(page, name)).getByText(/Last check, .*: .*DNS/).waitFor();
  const unexpected = page.errors.filter((error) => !error.includes('422'));
  assert.deepEqual(unexpected, []);
});

test('a domain is switched off and on, and vouched for', async () => {
  const user = await createUser(program);
  const read = () => ok(user.api.get(`/api/domains/${user.domain.id}`));
  await using at = await openPage(program, user, '/manage/domains');
  const card = await openCard(at, user.domain.domain);
  await card.getByRole('switch', { name: 'Active' }).click();
  await card.getByText('inactive', { exact: true }).waitFor();
  assert.equal((await read()).is_active, false);
  await card.getByRole('switch', { name: 'Active' }).click();
  await card.getByText('inactive', { exact: true }).waitFor({ state: 'detached' });
  assert.equal((await read()).is_active, true);
  await card.getByRole('switch', { name: 'Verified without an MX record' }).click();
  await card.getByText('pending').waitFor();
  assert.equal((await read()).mx_verified, false);
});

test('a domain is deleted only after its name has been typed', async () => {
  const user = await createUser(program);
  const { domain, id } = user.domain;
  await using at = await openPage(program, user, '/manage/domains');
  await (await openCard(at, domain)).getByRole('button', { name: `Delete ${domain}` }).click();
  const dialog = at.getByRole('dialog', { name: `Delete ${domain}?` });
  const button = dialog.getByRole('button', { name: 'Delete', exact: true });
  assert.equal(await button.isDisabled(), true);
  await dialog.getByLabel(`Type ${domain} to confirm`).fill(domain.slice(1));
  assert.equal(await button.isDisabled(), true);
  await at.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await user.api.get(`/api/domains/${id}`)).status, 200);

  await at.getByRole('button', { name: `Delete ${domain}` }).click();
  await dialog.getByLabel(`Type ${domain} to confirm`).fill(domain);
  await button.click();
  await at.getByText('No domains yet.').waitFor();
  assert.equal((await user.api.get(`/api/domains/${id}`)).status, 404);
});

test('each action shows the curl line that does the same', async () => {
  const user = await createUser(program);
  await using at = await openPage(program, user, '/manage/domains');
  await at.getByRole('button', { name: 'New domain' }).click();
  await at.getByLabel('Name').fill('it.test');
  await at.getByLabel('curl: Create domain').click();
  const line = `curl '${program.baseUrl}/api/domains' -H "X-API-KEY: $SANDPOST_API_KEY" --json '{"domain":"it.test","mx_verified":true}'`;
  await at.getByText(line).waitFor();
  await at.keyboard.press('Escape');
  const card = await openCard(at, user.domain.domain);
  await card.getByLabel('curl: Active: off').click();
  const change = `curl -X PATCH '${program.baseUrl}/api/domains/${user.domain.id}'`;
  await card.getByText(change).filter({ hasText: '{"is_active":false}' }).waitFor();
});

test('managed things are shown and not changed', async () => {
  const user = await createUser(program);
  // The operator would set this. For a test of the page, changing the store directly suffices.
  const store = new DatabaseSync(path.join(program.dataDir, 'sandpost.db'));
  store.prepare('UPDATE domain SET managed_by = ? WHERE id = ?').run('team-a/app', user.domain.id);
  store.close();
  await using at = await openPage(program, user, '/manage/domains');
  const card = await openCard(at, user.domain.domain);
  await card.getByText('Managed by the Kubernetes resource team-a/app').waitFor();
  await card.getByText('kubectl -n team-a edit spdom app').waitFor();
  assert.equal(await card.getByRole('switch', { name: 'Active' }).isDisabled(), true);
  assert.equal(await card.getByRole('button', { name: /^Delete/ }).isDisabled(), true);
});

test('a domain is shown in Unicode, with its A-labels as its title', async () => {
  const idn = await createUser(program, { domain: 'müller.test' });
  await using page = await openPage(program, idn, '/manage/domains');
  const title = await page.getByText('müller.test', { exact: true }).getAttribute('title');
  assert.equal(title, 'xn--mller-kva.test');
  await page.goto('/mail/all');
  const line = page.getByRole('treeitem', { name: 'müller.test' });
  assert.equal(await line.getAttribute('title'), title);
});
