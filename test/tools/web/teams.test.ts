import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { createSharedTeam } from '#test/once/web/support/shared-team.ts';
import { liveRow, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

const switcher = (page: Page) => page.getByRole('button', { name: /^Team: / });

async function switchTo(page: Page, name: string): Promise<void> {
  await switcher(page).click();
  await page.getByRole('navigation', { name: 'Teams' }).getByRole('link', { name }).click();
}

/** Requests that a page sends, by path. */
function requestsOf(page: Page): { path: string; team: string | undefined }[] {
  const requests: { path: string; team: string | undefined }[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/api/')) return;
    requests.push({ path: pathname + search, team: request.headers()['x-team-id'] });
  });
  return requests;
}

test('somebody without a team sees no switcher, and can make a team in the settings', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Mine' });
  await using page = await openPage(program, user);
  await liveRow(page, 'Mine');
  assert.equal(await switcher(page).count(), 0);
  await page.getByText('Sandpost', { exact: true }).waitFor();
  await page.goto('/manage/team');
  assert.equal(await page.getByRole('heading', { name: 'Members' }).count(), 0);
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByLabel('Name').fill('Checkout');
  await page.getByRole('button', { name: 'Create team' }).click();
  await page.waitForURL(/\/team\/\d+\/manage\/team$/);
  await page.getByText('In Checkout you are an owner').waitFor();
  await page.getByRole('listitem').filter({ hasText: user.email }).getByText('you').waitFor();
  assert.equal(await page.title(), 'Team · Checkout · Sandpost');
  await page.getByRole('link', { name: 'Mail' }).click();
  await page.getByRole('button', { name: /^Create qa@checkout(-\d)?\.test$/ }).waitFor();
  await switchTo(page, 'Personal');
  await liveRow(page, 'Mine');
  await until(() => new URL(page.url()).pathname === '/mail/all');
  assert.deepEqual(page.errors, []);
});

test('every request of a team names it, and the old stream ends when the team is changed', async () => {
  const user = await createUser(program);
  const team = await createSharedTeam(program, user);
  await deliverOne(program, { to: user.address, subject: 'Personal mail' });
  const attachments = [{ filename: 'a.txt', content: 'attached text' }];
  const [id] = await deliver(program, { to: team.address, subject: 'Team mail', text: 'x', attachments });
  await using page = await openPage(program, user);
  await liveRow(page, 'Personal mail');

  const requests = requestsOf(page);
  await switchTo(page, 'Checkout');
  await liveRow(page, 'Team mail');
  await until(() => new URL(page.url()).pathname === `/team/${team.id}/mail/all`);
  assert.deepEqual(await subjects(page), ['Team mail']);
  await until(async () => (await page.title()) === '(1) Checkout · Sandpost');
  await page.goto(`/team/${team.id}/mail/${team.account}/${team.inbox}/${id}/attachments`);
  await page.getByText('a.txt').first().waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download a.txt' }).click();
  assert.equal(await readFile(await (await saving).path(), 'utf8'), 'attached text');
  await page.getByRole('tab', { name: 'Source' }).click();
  const raw = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  assert.match(await readFile(await (await raw).path(), 'utf8'), /Team mail/);
  await page.locator('.list').focus();
  await page.keyboard.press('f');
  await page.locator('.row-flag').waitFor();
  await until(async () => (await ok(team.api.get(`/api/messages/${id}`))).is_flagged);

  const ofUser = /^\/api\/teams\b/;
  // A busy machine may still start requests for the first team before the menu is clicked.
  const switched = requests.findIndex(({ team: header }) => header === String(team.id));
  assert.ok(switched >= 0);
  const unnamed = requests
    .slice(switched)
    .filter(
      ({ path, team: header }) =>
        !ofUser.test(path) && header !== String(team.id) && !path.includes(`team_id=${team.id}`),
    );
  assert.deepEqual(unnamed, []);
  assert.ok(requests.some(({ path }) => path.startsWith('/api/events?') && path.includes('team_id=')));
});

test('Escape closes the list of teams and nothing else', async () => {
  const user = await createUser(program);
  await createSharedTeam(program, user);
  const id = await deliverOne(program, { to: user.address, subject: 'Open' });
  await using page = await openPage(program, user, `/mail/all/${id}`);
  await page.getByRole('article', { name: 'Open' }).waitFor();
  const menu = page.getByRole('navigation', { name: 'Teams' });
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel);
  await switcher(page).click();
  await menu.waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  assert.equal(await focused(), 'Team: Personal');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await until(() => menu.getByRole('link', { name: 'Personal' }).evaluate((link) => link.matches(':focus')));
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  assert.equal(await focused(), 'Team: Personal');
  assert.match(page.url(), /\/mail\/all\/\d+$/);
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/mail\/all$/);
});

test('a colleague who joins an empty team is not asked where its mail should go', async () => {
  const [owner, ann] = [await createUser(program), await createUser(program)];
  const team = await createSharedTeam(program, owner);
  await ok(team.api.delete(`/api/accounts/${team.account}`));
  await team.join(ann, 'member');
  await using page = await openPage(program, ann, `/team/${team.id}/mail/all`);
  await page.getByText('A team owner usually creates the first one').waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
  await page.getByRole('link', { name: 'can, too' }).click();
  await page.getByRole('button', { name: 'New account' }).waitFor();
  assert.equal(await page.getByText('You need a domain first').count(), 0);
  const [{ id }] = (await ok(team.api.get('/api/domains'))).items;
  await ok(team.api.delete(`/api/domains/${id}`));
  await page.reload();
  await page.getByText('You need a domain first').getByRole('link').click();
  await page.getByRole('button', { name: 'New domain' }).waitFor();
});

test('two tabs show two teams, and the way back leads through them', async () => {
  const user = await createUser(program);
  const one = await createSharedTeam(program, user, 'One');
  const two = await createSharedTeam(program, user, 'Two');
  await using page = await openPage(program, user, `/team/${one.id}/mail/all`);
  const context = page.context();
  const other = await context.newPage();
  await other.goto(`/team/${two.id}/mail/all`);
  await Promise.all([page, other].map((tab) => tab.locator('.connection.open').waitFor()));
  await deliverOne(program, { to: one.address, subject: 'For one' });
  await deliverOne(program, { to: two.address, subject: 'For two' });
  await Promise.all([rowOf(page, 'For one').waitFor(), rowOf(other, 'For two').waitFor()]);
  assert.deepEqual(await subjects(page), ['For one']);
  assert.deepEqual(await subjects(other), ['For two']);
  await switchTo(page, 'Two');
  await liveRow(page, 'For two');
  assert.deepEqual(await subjects(page), ['For two']);
  await page.goBack();
  await liveRow(page, 'For one');
  assert.deepEqual(await subjects(page), ['For one']);
  await page.getByRole('link', { name: 'Manage' }).click();
  await page.waitForURL(`**/team/${one.id}/manage/domains`);
  await switchTo(page, 'Two');
  await page.waitForURL(`**/team/${two.id}/manage/domains`);
  const domain = two.address.split('@')[1] ?? '';
  await page.getByText(domain, { exact: true }).first().waitFor();
  assert.equal(await page.getByText(one.address.split('@')[1] ?? '').count(), 0);
});

test('a deletion that can still be undone is carried out in its own team', async () => {
  const user = await createUser(program);
  const team = await createSharedTeam(program, user);
  const id = await deliverOne(program, { to: team.address, subject: 'Delete me' });
  await using page = await openPage(program, user, `/team/${team.id}/mail/all`);
  await liveRow(page, 'Delete me');
  await page.locator('.list').focus();
  await page.keyboard.press('e');
  await page.getByText('Deleting 1 message in 10 s').waitFor();
  await switchTo(page, 'Personal');
  await page.waitForURL('**/mail/all');
  await until(async () => (await team.api.get(`/api/messages/${id}`)).status === 404);
});

/** Time in ms within which a page must drop a team's mail. */
const goneWithinMs = 3000;

test('a member who is removed loses the mail at once, and is offered their own', async (t) => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await team.join(ann, 'member');
  const id = await deliverOne(program, { to: team.address, subject: 'Secret plan' });
  await using page = await openPage(program, ann, `/team/${team.id}/mail/all/${id}`);
  await liveRow(page, 'Secret plan');
  await page.getByRole('heading', { name: 'Secret plan' }).waitFor();
  let removals = 0;
  const remove = async () => {
    await ok(team.api.delete(`/api/teams/${team.id}/members/${ann.id}`));
    await page.getByRole('heading', { name: "You're not in this team" }).waitFor();
  };
  const ms = await shortest(goneWithinMs, async () => {
    if (removals > 0) {
      await team.join(ann, 'member');
      await page.reload();
      await liveRow(page, 'Secret plan');
    }
    removals += 1;
    return durationOf(remove);
  });
  t.diagnostic(`gone after ${Math.round(ms)} ms`);
  assert.ok(ms < goneWithinMs, `${ms} ms`);
  assert.equal(await page.getByText('Secret plan').count(), 0);
  assert.equal(await page.title(), 'Sandpost');
  await page.getByRole('link', { name: 'Go to your personal mail' }).click();
  await page.locator('.connection.open').waitFor();
  await until(() => new URL(page.url()).pathname === '/mail/all');
  assert.equal(await switcher(page).count(), 0);
});

test('a team that is deleted, foreign or nonsense says so in the settings too', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  const other = await createSharedTeam(program, ann, 'Of Ann');
  await team.join(ann, 'viewer');
  await using page = await openPage(program, ann, `/team/${team.id}/manage/team`);
  await page.getByText('you are a viewer').waitFor();
  await ok(team.api.delete(`/api/teams/${team.id}`));
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('link', { name: 'Team' }).click();
  const gone = page.getByRole('heading', { name: "You're not in this team" });
  await gone.waitFor();
  await page.getByRole('navigation', { name: 'Your teams' }).getByRole('link', { name: 'Of Ann' }).click();
  await page.waitForURL(`**/team/${other.id}/mail/all`);
  for (const path of ['/team/999999/mail/all', `/team/${owner.id}/manage/keys`]) {
    await page.goto(path);
    await gone.waitFor();
  }
  assert.equal((await new HttpClient(program).get('/team/x/mail')).status, 404);
});

test('on a phone, the line of pages begins at the open one', async () => {
  const user = await createUser(program);
  const { id } = await createSharedTeam(program, user);
  const viewport = { width: 390, height: 800 };
  await using page = await openPage(program, user, `/team/${id}/manage/you`, { viewport });
  const link = page.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name: 'You' });
  await until(async () => ((await link.boundingBox())?.x ?? 390) < 350);
});
