import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { createSharedTeam } from '#test/once/web/support/shared-team.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();

const pathOf = (url: string) => new URL(url).pathname;

async function signInAs(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('an invitation shows team, role and end, and leads to the team by sign-in and one button', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner, 'Harbour');
  const path = pathOf(await team.invite('viewer'));
  await using page = await openPage(program, null, '/api/health');
  const referers: string[] = [];
  page.on('request', (request) => {
    const { referer } = request.headers();
    if (referer) referers.push(referer);
  });
  await page.goto(path);
  const card = page.getByRole('region', { name: 'Invitation' });
  await card.getByText("You're invited to join Harbour").waitFor();
  await card.getByText('As a viewer, you may read everything').waitFor();
  await card.getByText(/^Works once, until \w+ \d+/).waitFor();
  await signInAs(page, ann.email, ann.password);
  await card.getByRole('heading').and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Join Harbour' }).click();
  await page.waitForURL(`**/team/${team.id}/mail/all`);
  await page.getByRole('button', { name: 'Team: Harbour' }).waitFor();
  // The back step does not lead to the invitation's address.
  await page.goBack();
  assert.equal(pathOf(page.url()), '/api/health');
  const unexpected = referers.filter((referer) => referer.includes('invitations'));
  assert.deepEqual(unexpected, []);
  assert.deepEqual(
    page.errors.filter((error) => !error.includes('401')),
    [],
  );
});

test('an invitation that is used, revoked or nonsense says so', async () => {
  const owner = await createUser(program);
  const [ann, bob] = [await createUser(program), await createUser(program)];
  const team = await createSharedTeam(program, owner);
  const url = await team.invite('member');
  await using page = await openPage(program, bob, pathOf(url));
  const join = page.getByRole('button', { name: 'Join Checkout' });
  await join.waitFor();
  const token = url.split('/').at(-1);
  await ok(new HttpClient(program, { cookie: ann.cookie }).post('/api/invitations/accept', { token }));
  // Somebody else accepted first.
  await join.click();
  const unusable = page.getByRole('heading', { name: 'This invitation is no longer valid' });
  await unusable.waitFor();
  await page.getByText('It has been used or revoked, or it is more than seven days old.').waitFor();
  for (const path of [pathOf(url), '/invitations/nonsense']) {
    await page.goto(path);
    await unusable.waitFor();
  }
  await page.getByRole('link', { name: 'Go to your mail' }).click();
  await page.waitForURL('**/mail/all');
});

test('an invitation for another e-mail offers to sign in with that one', async () => {
  const owner = await createUser(program);
  const [ann, bob] = [await createUser(program), await createUser(program)];
  const team = await createSharedTeam(program, owner);
  const path = pathOf(await team.invite('member', ann.email));
  await using page = await openPage(program, bob, path);
  await page
    .getByRole('alert')
    .filter({ hasText: `This invitation is for ${ann.email}, but you're signed in as ${bob.email}.` })
    .waitFor();
  assert.equal(await page.getByRole('button', { name: 'Join Checkout' }).count(), 0);
  await page.getByRole('button', { name: 'Sign in as someone else' }).click();
  await page.getByRole('radio', { name: 'Sign in' }).check({ force: true });
  await signInAs(page, ann.email, ann.password);
  await page.getByRole('button', { name: 'Join Checkout' }).click();
  await page.waitForURL(`**/team/${team.id}/mail/all`);
});

test('an invitation for an e-mail offers to register it, and to sign in by one press', async () => {
  const owner = await createUser(program);
  const team = await createSharedTeam(program, owner);
  const email = `new-${team.id}@example.com`;
  await using page = await openPage(program, null, pathOf(await team.invite('member', email)));
  const field = page.getByRole('textbox', { name: 'Email' });
  await page.getByRole('button', { name: 'Register', exact: true }).waitFor();
  assert.equal(await field.inputValue(), email);
  assert.equal(await page.locator(':focus').getAttribute('name'), 'password');
  await page.locator('.segments label').getByText('Sign in').click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  assert.equal(await field.inputValue(), email);
  await page.locator('.segments label').getByText('Register').click();
  await page.getByLabel('Password').click();
  await page.keyboard.type('correct horse battery', { delay: 5 });
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Join Checkout' }).click();
  await page.waitForURL(`**/team/${team.id}/mail/all`);
});

test('an invitation for anybody begins with the sign-in', async () => {
  const team = await createSharedTeam(program, await createUser(program));
  await using at = await openPage(program, null, pathOf(await team.invite('member')));
  await at.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  assert.equal(await at.getByRole('textbox', { name: 'Email' }).inputValue(), '');
});

test('the reason of a refusal is shown where it happened', async () => {
  const owner = await createUser(program);
  const ann = await createUser(program);
  const team = await createSharedTeam(program, owner);
  const path = pathOf(await team.invite('member'));
  await using page = await openPage(program, ann, path);
  const message = 'is for a team that already has 500 members, which is the limit';
  await page.route('**/api/invitations/accept', (route) =>
    route.fulfill({
      status: 422,
      json: {
        status: 422,
        code: 'validation_failed',
        detail: `token ${message}`,
        violations: [{ field: 'token', message }],
      },
    }),
  );
  await page.getByRole('button', { name: 'Join Checkout' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: `This invitation ${message}.` })
    .waitFor();
  await page.getByRole('button', { name: 'Join Checkout' }).waitFor();
});

test('an invitation that somebody accepts disappears from the team, which has a new member', async () => {
  const owner = await createUser(program);
  const carol = await createUser(program);
  const team = await createSharedTeam(program, owner);
  await using page = await openPage(program, owner, `/team/${team.id}/manage/team`);
  await page.getByRole('button', { name: 'New invitation' }).click();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const shown = page.getByRole('status', { name: 'New invitation' });
  const url = (await shown.getByText(/\/invitations\//).textContent()) ?? '';
  const api = new HttpClient(program, { cookie: carol.cookie });
  await ok(api.post('/api/invitations/accept', { token: url.split('/').at(-1) }));
  await page.getByRole('list', { name: 'members' }).getByText(carol.email, { exact: true }).first().waitFor();
  await shown.waitFor({ state: 'detached' });
});
