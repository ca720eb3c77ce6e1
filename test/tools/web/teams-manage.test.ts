import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { createSharedTeam } from '#test/once/web/support/shared-team.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

const entry = (page: Page, list: string, text: string) =>
  page.getByRole('list', { name: list }).getByRole('listitem').filter({ hasText: text });

test('an owner changes roles and removes members; the last owner stays', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await team.join(ann, 'viewer');
  const rolesOf = async () =>
    Object.fromEntries(
      (await ok(team.api.get(`/api/teams/${team.id}/members`))).items.map(
        ({ email, role }: { email: string; role: string }) => [email, role],
      ),
    );
  await using page = await openPage(program, owner, `/team/${team.id}/manage/team`);
  await page.getByRole('combobox', { name: `Role of ${owner.email}` }).selectOption('member');
  await entry(page, 'members', owner.email).getByRole('button', { name: 'Change' }).click();
  await page.getByText("can't change for the last owner").waitFor();
  await page.getByRole('button', { name: 'Leave the team' }).click();
  const leaving = page.getByRole('dialog');
  await leaving.getByRole('button', { name: 'Leave the team' }).click();
  await leaving
    .getByText(`${owner.email} is the last owner, who can't leave: make someone else an owner first`)
    .waitFor();
  await leaving.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('combobox', { name: `Role of ${ann.email}` }).selectOption('member');
  const row = entry(page, 'members', ann.email);
  await row.getByLabel('curl: Change').click();
  await row.getByText(`/members/${ann.id}' -H`).waitFor();
  await row.getByRole('button', { name: 'Change', exact: true }).click();
  await until(async () => (await rolesOf())[ann.email] === 'member');
  await row.getByRole('button', { name: `Remove ${ann.email}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove from the team' }).click();
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(await rolesOf(), { [owner.email]: 'owner' });
});

for (const width of [1440, 390]) {
  test(`a role stands beside the button that removes its member at ${width} px`, async () => {
    const owner = await createUser(program);
    const team = await createSharedTeam(program, owner);
    const viewport = { width, height: 800 };
    await using page = await openPage(program, owner, `/team/${team.id}/manage/team`, { viewport });
    const row = entry(page, 'members', owner.email);
    const boxOf = async (element: Locator) => {
      const box = await element.boundingBox();
      assert.ok(box);
      return { middle: box.y + box.height / 2, left: box.x, right: box.x + box.width };
    };
    const role = await boxOf(row.getByRole('combobox'));
    const leave = await boxOf(row.getByRole('button', { name: 'Leave the team' }));
    assert.ok(Math.abs(role.middle - leave.middle) <= 1, `${role.middle}, ${leave.middle}`);
    assert.ok(leave.left - role.right < 20, `${role.right}, ${leave.left}`);
    assert.ok(width < 700 || (await boxOf(row)).right - leave.right < 20);
  });
}

test('a membership that comes from elsewhere says so, and is not offered to be changed', async () => {
  const owner = await createUser(program);
  const team = await createSharedTeam(program, owner);
  const of = (user_id: number, email: string, managed_by: string | null) => {
    return { user_id, email, role: 'member', managed_by, joined_at: new Date().toISOString() };
  };
  const items = [
    of(owner.id, owner.email, null),
    of(91, 'grace@example.com', 'group'),
    of(92, 'kim@example.com', 'checkout/kim'),
  ];
  await using page = await openPage(program, owner, '/api/health');
  await page.route('**/members?*', (route) =>
    route.fulfill({ json: { items, pagination: { page: 1, limit: 200, total: 3, pages: 1 } } }),
  );
  await page.goto(`/team/${team.id}/manage/team`);
  await entry(page, 'members', 'grace@').getByText('comes from an identity provider group').waitFor();
  await entry(page, 'members', 'kim@').getByText('comes from the Kubernetes resource checkout/kim').waitFor();
  const list = page.getByRole('list', { name: 'members' });
  assert.equal(await list.getByRole('combobox').count(), 1);
  assert.deepEqual(await list.getByRole('button', { name: /^Remove|^Leave/ }).allTextContents(), ['Leave…']);
});

test('an owner leaves a team that has another one', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await team.join(ann, 'owner');
  await using page = await openPage(program, ann, `/team/${team.id}/manage/team`);
  await page.getByRole('button', { name: 'Leave the team' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave the team' }).click();
  await page.waitForURL('**/mail/all');
  await page.locator('.connection').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Team: / }).count(), 0);
});

test('a team is renamed, and deleted once its name is typed', async () => {
  const owner = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await using page = await openPage(program, owner, `/team/${team.id}/manage/team`);
  await page.getByLabel('Team name').fill('Payments');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Team: Payments' }).waitFor();
  await until(async () => (await page.title()) === 'Team · Payments · Sandpost');
  await page.getByRole('button', { name: 'Delete Payments' }).click();
  const deletes = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true });
  assert.ok(await deletes.isDisabled());
  await page.getByLabel('Type Payments to confirm').fill('Payments');
  await deletes.click();
  await page.waitForURL('**/mail/all');
  await page.locator('.connection').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Team: / }).count(), 0);
  assert.equal((await team.api.get(`/api/teams/${team.id}/members`)).status, 404);
});

test('an invitation is made, shown once, copied and revoked', async () => {
  const owner = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await using page = await openPage(program, owner, `/team/${team.id}/manage/team`);
  const context = page.context();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'New invitation' }).click();
  // Most invitations are for a member. The typed text is the email address.
  const email = page.getByLabel('Email (optional)');
  assert.ok(await email.evaluate((input) => input === document.activeElement));
  await page.getByLabel('Role', { exact: true }).selectOption('viewer');
  await page.getByText('As a viewer, they may read everything').waitFor();
  await email.fill('no address');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await page.getByRole('alert').first().waitFor();
  await email.fill('carol@example.com');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const shown = page.getByRole('status', { name: 'New invitation' });
  await shown.getByRole('button', { name: 'Copy the invitation link' }).click();
  await shown.getByText('Copied').first().waitFor();
  const url = (await shown.getByText(/\/invitations\/[\w-]{43}$/).textContent()) ?? '';
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), url);
  const token = url.split('/').at(-1);
  const invitation = await ok(new HttpClient(program).post('/api/invitations/show', { token }));
  assert.deepEqual([invitation.role, invitation.email], ['viewer', 'carol@example.com']);
  await page.reload();
  const row = entry(page, 'invitations', 'carol@example.com');
  await row.getByText('viewer').waitFor();
  assert.equal(await page.getByText(url).count(), 0);
  await row.getByRole('button', { name: 'Revoke the invitation' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  assert.equal((await new HttpClient(program).post('/api/invitations/show', { token })).status, 404);
});

test('a key has a scope and an end, which its row shows', async () => {
  const owner = await createUser(program);
  const team = await createSharedTeam(program, owner);
  const past = new Date(Date.now() + 5000).toISOString();
  await ok(team.api.post('/api/tokens', { name: 'old', expires_at: past }));
  await using page = await openPage(program, owner, `/team/${team.id}/manage/keys`);
  const keys = async () => (await ok(team.api.get('/api/tokens'))).items;
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('reader');
  await page.getByRole('radio', { name: 'read', exact: true }).check();
  await page.getByText("Can't change anything.").waitFor();
  await page.getByLabel('Expires').selectOption({ label: 'In 30 days' });
  await page.getByRole('button', { name: 'Create key' }).click();
  const row = entry(page, 'API keys', 'reader');
  await row.getByText('read', { exact: true }).waitFor();
  await row.getByText(`by ${owner.email}`).waitFor();
  await row.getByText(/expires/).waitFor();
  const [reader] = await keys();
  const days = (Date.parse(reader.expires_at) - Date.now()) / 86_400_000;
  assert.ok(reader.scope === 'read' && days > 29.9 && days <= 30, `${reader.scope} ${days}`);

  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('dated');
  await page.getByRole('radio', { name: 'send', exact: true }).check();
  await page.getByLabel('Expires').selectOption({ label: 'On a date' });
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('alert').first().waitFor();
  await page.getByLabel('Last day').fill('2031-05-06');
  await page.getByRole('button', { name: 'Create key' }).click();
  await entry(page, 'API keys', 'dated').getByText('May 6, 2031').waitFor();
  const [dated] = await keys();
  const end = await page.evaluate((at) => new Date(at).toString(), dated.expires_at);
  assert.match(end, /May 06 2031 23:59:59/);

  await until(() => Date.now() > Date.parse(past));
  await page.reload();
  await entry(page, 'API keys', 'old').getByText('expired', { exact: true }).waitFor();
});

test('the audit log says who did what, page by page', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  for (let number = 0; number < 52; number++)
    await ok(team.api.post('/api/tokens', { name: `job ${number}` }));
  await team.join(ann, 'member');
  await using page = await openPage(program, owner, `/team/${team.id}/manage/audit`);
  const rows = page.getByRole('row');
  await rows.nth(1).waitFor();
  assert.deepEqual(await rows.first().getByRole('columnheader').allTextContents(), [
    'When',
    'Who',
    'What',
    'Address',
  ]);
  const newest = await rows.nth(1).getByRole('cell').allTextContents();
  assert.deepEqual(newest.slice(1), [ann.email, 'joined as member', '127.0.0.1']);
  assert.match(newest[0] ?? '', /^(just now|\d+ min ago)$/);
  assert.equal(await rows.count(), 51);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('Page 2 of 2').waitFor();
  await page.getByRole('row').filter({ hasText: 'created the team: Checkout' }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Older' }).isDisabled());
});

const pagesOf = (page: Page) =>
  page.getByRole('navigation', { name: 'Manage' }).getByRole('link').allTextContents();

test('a member is offered neither members, invitations nor the audit log', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await team.join(ann, 'member');
  await using page = await openPage(program, ann, `/team/${team.id}/manage/audit`);
  await page.getByText('No page at /team/').waitFor();
  const offered = 'Domains,Accounts,Rules,Failures,API keys,Share links,Compose,Connect,Team,You';
  assert.equal((await pagesOf(page)).slice(-10).join(), offered);
  await page.getByRole('link', { name: 'Team', exact: true }).click();
  await entry(page, 'members', owner.email).getByText('owner', { exact: true }).waitFor();
  assert.equal(await page.getByRole('combobox').count(), 0);
  const buttons = await page.getByRole('main').getByRole('button').allTextContents();
  assert.deepEqual(buttons, ['New team…']);
});

test('a viewer is offered nothing that changes anything', async () => {
  const owner = await createUser(program);
  const bob = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await ok(team.api.post(`/api/accounts/${team.account}/mailboxes`, { path: 'Own' }));
  await ok(team.api.post('/api/tokens', { name: 'nightly' }));
  await ok(team.api.post('/api/rules', { name: 'Noise', q: 'from:monitor', is_read: true }));
  await team.join(bob, 'viewer');
  await using page = await openPage(program, bob, `/team/${team.id}/manage/compose`);
  const { errors } = page;
  await page.getByText('No page at /team/').waitFor();
  assert.ok(!(await pagesOf(page)).includes('Compose'));
  const shown: [string, string][] = [
    ['Domains', team.address.split('@')[1] ?? ''],
    ['Accounts', team.address],
    ['Rules', 'Noise'],
    ['API keys', 'nightly'],
    ['Connect', 'Address'],
    ['Team', owner.email],
  ];
  for (const [name, text] of shown) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('main').getByText(text).first().waitFor();
    for (const summary of await page.locator('.card > summary').all()) await summary.click();
    const main = page.getByRole('main');
    const buttons = [...(await main.getByRole('button').all()), ...(await main.getByRole('switch').all())];
    const names = await Promise.all(
      buttons.map(async (button) => (await button.getAttribute('aria-label')) ?? button.textContent()),
    );
    // A viewer may create their own team.
    const unexpected = names.filter((name) => name !== 'New team' && !name?.startsWith('Copy'));
    assert.deepEqual(unexpected, [], name);
  }
  assert.deepEqual(errors, []);
});

test('a role that is lowered meanwhile is noticed at the first refusal', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await team.join(ann, 'member');
  await using page = await openPage(program, ann, `/team/${team.id}/manage/domains`);
  await page.getByRole('button', { name: 'New domain' }).click();
  await page.getByLabel('Name', { exact: true }).fill('late.test');
  await ok(team.api.patch(`/api/teams/${team.id}/members/${ann.id}`, { role: 'viewer' }));
  await page.getByRole('button', { name: 'Create domain' }).click();
  await page.getByRole('button', { name: 'Create domain' }).waitFor({ state: 'detached' });
  await page
    .getByRole('status')
    .getByText("The viewer role can't do this: you need the member role")
    .waitFor();
  assert.ok(!(await pagesOf(page)).includes('Compose'));
});
